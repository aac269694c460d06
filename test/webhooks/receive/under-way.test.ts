import { beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore, type WebhookFailure, Webhooks } from "../../../src/webhooks/index.ts";
import { later, stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { eventOf, faultyOf, faultyStore, noWork } from "../support.ts";

beforeEach(() => stopClock());
const deliver = (webhooks: Webhooks, hooks = {}, event: object = eventOf("SUCCESS")) =>
  webhooks.handler({ ...noWork, ...hooks }).receive({ headers: {}, body: JSON.stringify(event) });

/** Whether a promise has resolved, once everything that is due has run. */
async function isResolved(promise: Promise<void>): Promise<boolean> {
  let resolved = false;
  void promise.then(() => {
    resolved = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return resolved;
}

describe("webhooks.idle(), for a server that is shut down", () => {
  it("resolves at once if nothing is under way, before the first delivery and after the last", async () => {
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    expect(await isResolved(webhooks.idle())).toBe(true);
    await deliver(webhooks);
    expect(await isResolved(webhooks.idle())).toBe(true);
  });

  it("waits for a handler that runs on after its response was sent, and for its commit", async () => {
    const { opened, open } = gate();
    const committed = gate();
    const store = memoryStore();
    const complete: typeof store.complete = async (claim) => {
      await committed.opened;
      return store.complete(claim);
    };
    const webhooks = new Webhooks({ auth: "none", findOrder: "none", store: faultyOf(store, { complete }) });
    const response = deliver(webhooks, { SUCCESS: () => opened });
    await vi.advanceTimersByTimeAsync(5_500);
    expect(JSON.parse((await response).body)).toMatchObject({ status: "FAILED" });

    const idle = webhooks.idle();
    expect(await isResolved(idle)).toBe(false);
    open();
    expect(await isResolved(idle)).toBe(false);
    committed.open();
    expect(await isResolved(idle)).toBe(true);
  });

  it("waits while the store is away, for as long as the commit is retried", async () => {
    const store = memoryStore();
    let isAway = true;
    const complete: typeof store.complete = (claim) =>
      isAway ? Promise.reject(new Error("away")) : store.complete(claim);
    const webhooks = new Webhooks({ auth: "none", findOrder: "none", store: faultyOf(store, { complete }) });
    await later(60_000, deliver(webhooks));
    const idle = webhooks.idle();
    expect(await isResolved(idle)).toBe(false);
    isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await isResolved(idle)).toBe(true);
  });

  it.each([
    ["failed", eventOf("SUCCESS"), { SUCCESS: () => Promise.reject(new Error("no ledger")) }],
    ["refused", { status: "SUCCESS" }, {}],
  ])("waits for onFailure of a delivery that %s, which the response does not", async (phase, event, failing) => {
    const { opened, open } = gate();
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    const onFailure = (_error: unknown, told: WebhookFailure) => (told.phase === phase ? opened : undefined);
    await deliver(webhooks, { ...failing, onFailure }, event);
    const idle = webhooks.idle();
    expect(await isResolved(idle)).toBe(false);
    open();
    expect(await isResolved(idle)).toBe(true);
  });

  it("waits for all deliveries, and for those that come meanwhile", async () => {
    const gates = [gate(), gate(), gate()];
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    const send = (index: number) =>
      deliver(
        webhooks,
        { SUCCESS: () => gates[index]?.opened },
        eventOf("SUCCESS", { client_referenceId: `order-${index}` }),
      );
    const responses = [send(0), send(1)];
    const idle = webhooks.idle();
    gates[0]?.open();
    expect(await isResolved(idle)).toBe(false);
    responses.push(send(2));
    gates[1]?.open();
    expect(await isResolved(idle)).toBe(false);
    gates[2]?.open();
    expect(await isResolved(idle)).toBe(true);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("waits for `process`, also for one that rejects", async () => {
    const { opened, open } = gate();
    const store = faultyStore({ claim: () => opened.then(() => Promise.reject(new Error("away"))) });
    const webhooks = new Webhooks({ findOrder: "none", store });
    const processing = expect(webhooks.process(eventOf("SUCCESS"), noWork)).rejects.toThrow();
    const idle = webhooks.idle();
    expect(await isResolved(idle)).toBe(false);
    open();
    await processing;
    expect(await isResolved(idle)).toBe(true);
  });
});
