import { describe, expect, it, vi } from "vitest";
import { memoryStore } from "../../../src/webhooks/index.ts";
import { storeSuite } from "../../../src/webhooks/stores/store-suite.ts";
import { stopClock } from "../../support/clock.ts";
import { finish, take } from "../support.ts";
import { compareWithModel } from "./conformance.ts";

describe("memoryStore", () => {
  for (const { name, run } of storeSuite(() => memoryStore())) it(name, run);

  it("is the model in which two deliveries are explored, after all sequences of five operations", async () => {
    let time = 0;
    const pause = async (milliseconds: number) => {
      time += milliseconds;
    };
    const store = memoryStore({ now: () => time });
    expect(await compareWithModel(store, { length: 5, shortLease: 100, pause })).toEqual({
      sequences: 7 ** 5,
      differences: [],
    });
  });

  const day = 86_400_000;

  it("remembers what is done for 90 days, and no longer", async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    await finish(store, "a");
    now = 90 * day - 1;
    expect(await finish(store, "a")).toBe("done");
    expect(await store.find("a")).toMatchObject({ state: "done" });
    now = 90 * day;
    expect(await store.find("a")).toBeUndefined();
    expect(await finish(store, "a")).toBe("claimed");
  });

  it("does not complete again what it has forgotten", async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    const claim = await take(store, "a", 10);
    expect([await store.complete(claim), await store.complete(claim)]).toEqual([true, true]);
    now = 90 * day;
    expect([await store.find("a"), await store.complete(claim)]).toEqual([undefined, false]);
  });

  it("lets another take over in the very millisecond in which a lease ends, even if it is full", async () => {
    let now = 0;
    const store = memoryStore({ maxRecords: 1, now: () => now });
    await store.claim("a", { effect: "SUCCESS", lease: 10 });
    now = 9;
    expect(await store.claim("a", { effect: "SUCCESS", lease: 10 })).toEqual({ kind: "inFlight" });
    now = 10;
    expect(await store.claim("a", { effect: "SUCCESS", lease: 10 })).toMatchObject({ takenOver: true });
  });

  it("keeps a lease although the wall clock is set", async () => {
    stopClock("Date");
    const store = memoryStore();
    await store.claim("a", { effect: "SUCCESS", lease: 60_000 });
    vi.setSystemTime("2100-01-01");
    expect(await store.claim("a", { effect: "SUCCESS", lease: 60_000 })).toEqual({ kind: "inFlight" });
  });

  it("keeps what is done, and a nonce that was used, although the wall clock is set", async () => {
    stopClock("Date");
    const store = memoryStore({ retention: 3_600_000, maxRecords: 3 });
    for (const key of ["payout:a", "payout:b", "nonce:a"]) await finish(store, key);
    for (const date of ["2100-01-01", "1970-01-01"]) {
      vi.setSystemTime(date);
      await expect(finish(store, "payout:new")).rejects.toThrow(/full/);
      for (const key of ["payout:a", "payout:b", "nonce:a"]) expect(await finish(store, key)).toBe("done");
    }
  });

  it("grants no claim, and loses none, if its clock returns no time", async () => {
    let now: number | undefined = 0;
    const store = memoryStore({ now: () => now as number });
    const claim = await take(store, "a", 10);
    now = undefined;
    const refusal = { name: "ConfigurationError", message: expect.stringContaining("memoryStore: `now` must return") };
    await expect(store.claim("a", { effect: "SUCCESS", lease: 10 })).rejects.toMatchObject(refusal);
    await expect(store.complete(claim)).rejects.toMatchObject(refusal);
    now = 5;
    expect(await store.complete(claim)).toBe(true);
  });

  it("remembers it indefinitely with `retention: Infinity`", async () => {
    let now = 0;
    const store = memoryStore({ now: () => now, retention: Number.POSITIVE_INFINITY });
    await finish(store, "a");
    now = 100 * 365 * day;
    expect(await finish(store, "a")).toBe("done");
  });

  it("drops the oldest references when it is full, once they are older than seven days, and only then refuses", async () => {
    let now = 0;
    const store = memoryStore({ maxRecords: 3, now: () => now });
    for (const key of ["a", "b", "c"]) {
      await finish(store, key);
      now += day;
    }
    await expect(finish(store, "d")).rejects.toThrow(/full: 3 references/);
    now = 7 * day - 1;
    await expect(finish(store, "d")).rejects.toThrow(/full/);
    expect(await finish(store, "a")).toBe("done"); // known keys still get a result
    now = 7 * day;
    expect(await finish(store, "d")).toBe("claimed");
    expect([await store.find("a"), await store.find("b")]).toMatchObject([undefined, { state: "done" }]);
    await expect(finish(store, "e")).rejects.toThrow(/full/);
  });

  it("keeps a claim whose lease ran out until somebody takes it over, however many others come", async () => {
    let now = 0;
    const store = memoryStore({ maxRecords: 4, now: () => now });
    const slow = await take(store, "slow", 10);
    for (let i = 0; i < 40; i += 1) {
      now += 8 * day;
      await finish(store, `other ${i}`);
    }
    expect(await store.complete(slow)).toBe(true);
  });
});
