import { describe, expect, it } from "vitest";
import { hasWorkerd, serveWorker } from "../../support/workerd.ts";
import { eventOf } from "../support.ts";

/** Two handlers of one reference, in one isolate, of which the first is slower than its request. No `ctx` is passed. */
const worker = `
import { memoryStore, Webhooks } from "./src/webhooks/index.ts";
const runs = {};
const receivers = {};
const receiverOf = (name) => {
  const slow = async ({ client_referenceId: reference }) => {
    runs[reference] = (runs[reference] ?? 0) + 1;
    if (name === "/handler" && runs[reference] === 1) await new Promise((resolve) => setTimeout(resolve, 60_000));
  };
  const inner = memoryStore();
  let commits = 0;
  const complete = async (claim) => {
    commits += 1;
    if (name === "/commit" && commits === 1) await new Promise((resolve) => setTimeout(resolve, 60_000));
    return inner.complete(claim);
  };
  const store = { ...Object.fromEntries(["claim", "release", "recordConflict", "find", "forget"].map(
    (method) => [method, (...given) => inner[method](...given)])), complete };
  return new Webhooks({ auth: "none", findOrder: "none", store, ackTimeout: 100, claimLease: 400 })
    .handler({ SUCCESS: slow, FAILED() {}, REJECTED() {} });
};
export default {
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (request.method === "GET") return Response.json(runs);
    receivers[pathname] ??= receiverOf(pathname);
    return receivers[pathname](request);
  },
};`;

describe.skipIf(!hasWorkerd)("on a real workerd, which ends a request together with its promises", () => {
  const url = serveWorker(worker);
  const deliver = async (path: string, reference: string): Promise<string> => {
    const body = JSON.stringify(eventOf("SUCCESS", { client_referenceId: reference }));
    const response = await fetch(url() + path, { method: "POST", body });
    return ((await response.json()) as { readonly status: string }).status;
  };
  /** Redelivers until it is acknowledged. */
  const redeliver = async (path: string, reference: string): Promise<string> => {
    for (;;) {
      const status = await deliver(path, reference);
      if (status !== "FAILED") return status;
    }
  };
  const runsOf = async (reference: string) =>
    ((await (await fetch(url())).json()) as Record<string, number>)[reference];

  it("a handler slower than `ackTimeout` does not block its reference: it runs again after the lease", async () => {
    expect(await deliver("/handler", "po-1")).toBe("FAILED");
    expect(await redeliver("/handler", "po-1")).toBe("SUCCESS");
    expect([await runsOf("po-1"), await deliver("/handler", "po-1")]).toEqual([2, "DUPLICATE"]);
  });

  it("work that was done, whose commit ended with its request, is recorded by a redelivery and not run again", async () => {
    expect(await deliver("/commit", "po-2")).toBe("FAILED");
    expect(await redeliver("/commit", "po-2")).toBe("DUPLICATE");
    expect(await runsOf("po-2")).toBe(1);
  });
});
