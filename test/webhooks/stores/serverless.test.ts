import { beforeEach, describe, expect, it, vi } from "vitest";

/** The module as a new process has it, for each test. */
const copies: typeof import("../../../src/webhooks/stores/memory.ts")[] = [];
for (let n = 0; n < 20; n += 1) {
  vi.resetModules();
  copies.push(await import("../../../src/webhooks/stores/memory.ts"));
}
let memoryStore: (typeof copies)[0]["memoryStore"];

const warn = vi.fn();
beforeEach(() => {
  ({ memoryStore } = copies.pop() ?? expect.unreachable("There are more tests than copies."));
  warn.mockReset();
  vi.spyOn(process, "emitWarning").mockImplementation(warn);
});

/** Claims two keys in each of two stores. */
async function claimOften(): Promise<void> {
  for (const store of [memoryStore(), memoryStore()]) {
    for (const key of ["a", "b"]) await store.claim(key, { effect: "SUCCESS", lease: 10 });
  }
}

/** Looks at the platform as a new process does at its first claim. */
async function look(globals: object = {}): Promise<void> {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  await memoryStore().claim("a", { effect: "SUCCESS", lease: 10 });
  vi.unstubAllGlobals();
}

const wrongStore = [expect.stringMatching(/memoryStore .* postgresStore/), { code: "SERVICEAPI_MEMORY_STORE" }];

describe("memoryStore warns once that it is the wrong store", () => {
  it.each([
    "AWS_LAMBDA_FUNCTION_NAME",
    "VERCEL",
    "NETLIFY",
    "K_SERVICE",
    "FUNCTIONS_WORKER_RUNTIME",
    "DENO_DEPLOYMENT_ID",
  ])("where %s is set", async (name) => {
    vi.stubEnv(name, "1");
    await look();
    expect(warn.mock.calls).toEqual([wrongStore]);
  });

  it("in Cloudflare Workers", async () => {
    await look({ navigator: { userAgent: "Cloudflare-Workers" } });
    expect(warn.mock.calls).toEqual([wrongStore]);
  });

  it("however many stores and claims there are", async () => {
    vi.stubEnv("VERCEL", "1");
    await claimOften();
    expect(warn.mock.calls).toEqual([wrongStore]);
  });
});

describe("memoryStore says nothing, and fails nowhere", () => {
  const denied = {
    get AWS_LAMBDA_FUNCTION_NAME(): string {
      throw new Error("Requires env access, run again with the --allow-env flag");
    },
  };
  it.each<[string, object]>([
    ["on a server", {}],
    ["in a browser: without `process`", { process: undefined }],
    ["with a `process` that has no environment", { process: { emitWarning: warn } }],
    ["in Deno without permission to read the environment", { process: { env: denied, emitWarning: warn } }],
    [
      "in Cloudflare Workers without Node's `process`",
      { navigator: { userAgent: "Cloudflare-Workers" }, process: undefined },
    ],
    ["on a platform whose `process` cannot warn", { process: { env: { VERCEL: "1" } } }],
    ["in a runtime without `navigator`", { navigator: undefined }],
  ])("%s", async (_, globals) => {
    await look(globals);
    expect(warn).not.toHaveBeenCalled();
  });
});
