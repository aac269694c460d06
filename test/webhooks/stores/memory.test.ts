import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../src/webhooks/index.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";

describe("memoryStore", () => {
  for (const { name, run } of storeSuite(() => memoryStore())) it(name, run);

  it("forgets what is done after its retention, and sweeps it", async () => {
    let now = 0;
    const store = memoryStore({ retention: 1_000, maxRecords: 2, now: () => now });
    for (const key of ["a", "b"]) {
      const result = await store.claim(key, { status: "SUCCESS", leaseMs: 10 });
      if (result.kind === "claimed") await store.complete(result.claim);
    }
    await expect(store.claim("c", { status: "SUCCESS", leaseMs: 10 })).rejects.toThrow(/full/);
    now = 999;
    expect((await store.claim("a", { status: "SUCCESS", leaseMs: 10 })).kind).toBe("done");
    now = 1_000;
    expect((await store.claim("c", { status: "SUCCESS", leaseMs: 10 })).kind).toBe("claimed");
    expect(await store.claim("a", { status: "SUCCESS", leaseMs: 10 })).toMatchObject({
      kind: "claimed",
      takenOver: false,
    });
  });
});

describe("memoryStore on a serverless platform", () => {
  it.each(["AWS_LAMBDA_FUNCTION_NAME", "VERCEL", undefined])(
    "with %s set says once that it is the wrong store",
    async (name) => {
      vi.resetModules();
      const { memoryStore: fresh } = await import("../../../src/webhooks/stores/memory.ts");
      const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
      if (name !== undefined) vi.stubEnv(name, "1");
      try {
        for (const store of [fresh(), fresh()]) {
          await store.claim("a", { status: "SUCCESS", leaseMs: 10 });
          await store.claim("b", { status: "SUCCESS", leaseMs: 10 });
        }
        expect(warn.mock.calls.map(([message]) => String(message).slice(0, 19))).toEqual(
          name === undefined ? [] : ["serviceapi/webhooks"],
        );
      } finally {
        vi.unstubAllEnvs();
        warn.mockRestore();
      }
    },
  );

  it("says so in Cloudflare Workers too", async () => {
    vi.resetModules();
    const { memoryStore: fresh } = await import("../../../src/webhooks/stores/memory.ts");
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    await fresh().claim("a", { status: "SUCCESS", leaseMs: 10 });
    expect(warn).toHaveBeenCalledTimes(1);
    vi.unstubAllGlobals();
    warn.mockRestore();
  });
});
