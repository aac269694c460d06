import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore, type WebhookStore } from "../../../src/webhooks/index.ts";
import { gate } from "../../support/gate.ts";
import { eventOf, faultyOf, receiver, reference } from "../support.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const key = `payout:${reference}`;
const success = eventOf("SUCCESS");
const short = { claimLease: 1_000, workTimeout: 1_000 };

/** A claim of another process. */
async function claimElsewhere(store: WebhookStore, lease = 60_000) {
  const result = await store.claim(key, { effect: "SUCCESS", lease });
  return result.kind === "claimed" ? result.claim : expect.unreachable(result.kind);
}

/** A store that does not respond to a commit while it is silent. */
function silentStore() {
  const inner = memoryStore();
  const state = { isSilent: true, attempts: [] as { readonly fail: (error: Error) => void }[] };
  const complete: WebhookStore["complete"] = (claim) =>
    new Promise((resolve, fail) => {
      state.attempts.push({ fail });
      if (!state.isSilent) resolve(inner.complete(claim));
    });
  return { store: faultyOf(inner, { complete }), state };
}

describe("a commit that the store does not respond to", () => {
  it("is not hurried by redeliveries", async () => {
    const { store, state } = silentStore();
    const { statusOf } = receiver({}, { store });
    const deliveries = [statusOf(success)];
    for (const [pause, attempts] of [
      [4_900, 1],
      [1_000, 2],
      [3_900, 2],
    ] as const) {
      await vi.advanceTimersByTimeAsync(pause / 2);
      deliveries.push(statusOf(success));
      await vi.advanceTimersByTimeAsync(pause / 2);
      expect(state.attempts).toHaveLength(attempts);
    }
    state.isSilent = false;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(await Promise.all(deliveries)).toEqual(["FAILED", "FAILED", "DUPLICATE", "DUPLICATE"]);
  });

  it("is not tried sooner because an earlier attempt fails after all", async () => {
    const { store, state } = silentStore();
    const first = receiver({}, { store }).statusOf(success);
    await vi.advanceTimersByTimeAsync(5_500);
    expect([await first, state.attempts.length]).toEqual(["FAILED", 2]);
    state.attempts[0]?.fail(new Error("closed"));
    await vi.advanceTimersByTimeAsync(4_000);
    expect(state.attempts).toHaveLength(2);
  });

  it("keeps every redelivery from running the work again, however many have ended meanwhile", async () => {
    const { store, state } = silentStore();
    const { statusOf, ran } = receiver({}, { store });
    for (let n = 0; n < 3; n += 1) {
      const delivery = statusOf(success);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(await delivery).toBe("FAILED");
    }
    state.isSilent = false;
    await vi.advanceTimersByTimeAsync(40_000);
    expect([await statusOf(success), ran.length]).toEqual(["DUPLICATE", 1]);
  });

  it("is waited for by a delivery that asked the store just before it began", async () => {
    const inner = memoryStore();
    const [handled, asked, answered, committing, committed] = [gate(), gate(), gate(), gate(), gate()];
    let claims = 0;
    const store = faultyOf(inner, {
      claim: async (wanted, request) => {
        claims += 1;
        const isSecond = claims === 2;
        const result = await inner.claim(wanted, request);
        if (isSecond) {
          asked.open();
          await answered.opened;
        }
        return result;
      },
      complete: async (claim) => {
        committing.open();
        await committed.opened;
        return inner.complete(claim);
      },
    });
    const { statusOf } = receiver({ SUCCESS: () => handled.opened }, { store });
    const both = [statusOf(success), statusOf(success)];
    await vi.advanceTimersByTimeAsync(10);
    await asked.opened;
    handled.open();
    await vi.advanceTimersByTimeAsync(10);
    await committing.opened;
    answered.open();
    await vi.advanceTimersByTimeAsync(100);
    committed.open();
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all(both)).toEqual(["SUCCESS", "DUPLICATE"]);
  });
});

describe("work whose claim another process has taken over", () => {
  /** A delivery that has done its work when its lease is over and the claim is another's. */
  async function overtaken(otherLease: number) {
    const store = memoryStore();
    const first = gate();
    let runs = 0;
    const SUCCESS = () => {
      runs += 1;
      return runs === 1 ? first.opened : undefined;
    };
    const { statusOf } = receiver({ SUCCESS }, { ...short, store });
    const delivery = statusOf(success);
    await vi.advanceTimersByTimeAsync(1_000);
    const other = await claimElsewhere(store, otherLease);
    return { store, other, delivery, statusOf, finish: () => first.open(), runs: () => runs };
  }

  it("is forgotten with its last delivery: the redelivery runs if the other process dies", async () => {
    const { delivery, statusOf, finish, runs } = await overtaken(500);
    finish();
    expect(await delivery).toBe("FAILED");
    await vi.advanceTimersByTimeAsync(500);
    expect([await statusOf(success), runs()]).toEqual(["SUCCESS", 2]);
  });

  it("is not recorded by a delivery that waited, if the other process has released the claim", async () => {
    const { store, other, delivery, statusOf, finish, runs } = await overtaken(60_000);
    const waiting = statusOf(success);
    await vi.advanceTimersByTimeAsync(100);
    finish();
    expect(await delivery).toBe("FAILED");
    await store.release(other);
    await vi.advanceTimersByTimeAsync(250);
    expect([await waiting, runs(), await store.find(key)]).toEqual(["FAILED", 1, undefined]);
    expect([await statusOf(success), runs()]).toEqual(["SUCCESS", 2]);
  });
});

describe("a handler that still runs in this process when its lease is over", () => {
  /** A receiver whose handler waits, and a delivery that has outlived its lease. */
  async function outlived() {
    const store = memoryStore();
    const handled = gate();
    let runs = 0;
    const SUCCESS = async () => {
      runs += 1;
      await handled.opened;
      if (runs === 1 && isBroken) throw new Error("no");
    };
    let isBroken = false;
    const end = (how: "done" | "failed") => {
      isBroken = how === "failed";
      handled.open();
    };
    const { statusOf, told } = receiver({ SUCCESS }, { ...short, store });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await first).toBe("FAILED");
    return { statusOf, told, end, runs: () => runs };
  }

  it("does not run a second time: the redelivery is FAILED, and the one after its end DUPLICATE", async () => {
    const { statusOf, told, end, runs } = await outlived();
    const second = statusOf(success);
    await vi.advanceTimersByTimeAsync(5_500);
    expect([await second, runs()]).toEqual(["FAILED", 1]);
    expect(told.at(-1)).toMatchObject({ hook: "onError", error: { reason: "inFlight" } });
    end("done");
    await vi.advanceTimersByTimeAsync(0);
    expect([await statusOf(success), runs()]).toEqual(["DUPLICATE", 1]);
  });

  it("lets a redelivery wait for its end, and be DUPLICATE", async () => {
    const { statusOf, end, runs } = await outlived();
    const second = statusOf(success);
    await vi.advanceTimersByTimeAsync(2_000);
    end("done");
    await vi.advanceTimersByTimeAsync(100);
    expect([await second, runs()]).toEqual(["DUPLICATE", 1]);
  });

  it("is FAILED for a redelivery that waited if it throws, and the next one runs", async () => {
    const { statusOf, end, runs } = await outlived();
    const second = statusOf(success);
    await vi.advanceTimersByTimeAsync(2_000);
    end("failed");
    await vi.advanceTimersByTimeAsync(100);
    expect([await second, runs()]).toEqual(["FAILED", 1]);
    expect([await statusOf(success), runs()]).toEqual(["SUCCESS", 2]);
  });

  it("is FAILED as well for one that still has time to run it", async () => {
    const handled = gate();
    let runs = 0;
    const SUCCESS = async () => {
      runs += 1;
      await handled.opened;
      if (runs === 1) throw new Error("no");
    };
    const { statusOf } = receiver({ SUCCESS }, { store: memoryStore() });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(100);
    const second = statusOf(success);
    await vi.advanceTimersByTimeAsync(100);
    handled.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await first, await second, runs]).toEqual(["FAILED", "FAILED", 1]);
    expect([await statusOf(success), runs]).toEqual(["SUCCESS", 2]);
  });

  it("and was overtaken by a claim that a slow store granted late, does not run beside it", async () => {
    const inner = memoryStore();
    const [handled, leaseOver] = [gate(), gate()];
    let claims = 0;
    const store = faultyOf(inner, {
      claim: async (wanted, request) => {
        if (++claims === 2) await leaseOver.opened;
        return inner.claim(wanted, request);
      },
    });
    let runs = 0;
    const SUCCESS = () => {
      runs += 1;
      return handled.opened;
    };
    const { statusOf } = receiver({ SUCCESS }, { ...short, store });
    const [first, second] = [statusOf(success), statusOf(success)];
    await vi.advanceTimersByTimeAsync(1_400);
    leaseOver.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(1);
    handled.open();
    await vi.advanceTimersByTimeAsync(500);
    expect([await first, await second, runs]).toEqual(["SUCCESS", "DUPLICATE", 1]);
    expect(await store.find(key)).toMatchObject({ state: "done" });
  });
});

describe("work that was recorded, and forgotten by an operator while a redelivery waited", () => {
  it("is not recorded again by that redelivery, and the next one runs", async () => {
    const store = memoryStore();
    const handled = gate();
    const { statusOf } = receiver({ SUCCESS: () => handled.opened }, { store });
    const [first, waiting] = [statusOf(success), statusOf(success)];
    await vi.advanceTimersByTimeAsync(10);
    handled.open();
    expect(await first).toBe("SUCCESS");
    await store.forget(key);
    await vi.advanceTimersByTimeAsync(250);
    expect(await waiting).toBe("FAILED");
    expect(await statusOf(success)).toBe("SUCCESS");
  });
});

describe("a delivery of another status that took over the claim of work that is done", () => {
  it("waits for another process that claims it first while the statuses are exchanged", async () => {
    const inner = memoryStore();
    const [handled, leaseOver, claimed] = [gate(), gate(), gate()];
    let claims = 0;
    let other: Awaited<ReturnType<typeof claimElsewhere>> | undefined;
    const store = faultyOf(inner, {
      claim: async (wanted, request) => {
        const isSecond = ++claims === 2;
        if (isSecond) await leaseOver.opened;
        const result = await inner.claim(wanted, request);
        if (isSecond) await claimed.opened;
        return result;
      },
      release: async (claim) => {
        await inner.release(claim);
        other ??= await claimElsewhere(inner);
      },
    });
    const { statusOf, told } = receiver({ SUCCESS: () => handled.opened }, { ...short, store });
    const [first, second] = [statusOf(success), statusOf(eventOf("FAILED"))];
    await vi.advanceTimersByTimeAsync(1_400);
    leaseOver.open();
    handled.open();
    await vi.advanceTimersByTimeAsync(100);
    claimed.open();
    await vi.advanceTimersByTimeAsync(300);
    expect(other && (await inner.complete(other))).toBe(true);
    await vi.advanceTimersByTimeAsync(300);
    expect([await first, await second]).toEqual(["FAILED", "DUPLICATE"]);
    expect(told.at(-1)).toEqual({ hook: "onConflict", event: "SUCCESS then FAILED" });
  });
});
