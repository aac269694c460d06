import { beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore, type WebhookStore } from "../../../src/webhooks/index.ts";
import { later, stopClock } from "../../support/clock.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { eventOf, faultyOf, faultyStore, receiver, reference, take } from "../support.ts";

beforeEach(() => stopClock());
const key = `payout:${reference}`;
const success = eventOf("SUCCESS");
const short = { claimLease: 1_000, workTimeout: 1_000 };

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
  it("is tried again after five seconds", async () => {
    const { store, state } = silentStore();
    const { statusOf, ran, told } = receiver({}, { store });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(state.attempts).toHaveLength(1);
    state.isSilent = false;
    await vi.advanceTimersByTimeAsync(200);
    expect([await first, state.attempts.length, ran.length, told]).toEqual(["SUCCESS", 2, 1, []]);
  });

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

  it("keeps every redelivery from running the work again, however many have ended meanwhile and whatever the lease, and is reported as pending", async () => {
    const { store, state } = silentStore();
    const { statusOf, ran, told } = receiver({}, { store });
    for (let n = 0; n < 3; n += 1) {
      expect(await later(60_000, statusOf(success))).toBe("FAILED");
    }
    state.isSilent = false;
    await vi.advanceTimersByTimeAsync(40_000);
    expect([await statusOf(success), ran.length]).toEqual(["DUPLICATE", 1]);
    expect(told).toMatchObject(Array(3).fill({ error: { reason: "commitPending" } }));
  });

  it("is waited for by a delivery that asked the store just before it began", async () => {
    const inner = memoryStore();
    const [handled, asked, answered, committing, committed] = [gate(), gate(), gate(), gate(), gate()];
    const own: WebhookStore["claim"] = (wanted, request) => inner.claim(wanted, request);
    const claim = vi
      .fn(own)
      .mockImplementationOnce(own)
      .mockImplementationOnce(async (wanted, request) => {
        const result = await inner.claim(wanted, request);
        asked.open();
        await answered.opened;
        return result;
      });
    const complete: WebhookStore["complete"] = async (claimed) => {
      committing.open();
      await committed.opened;
      return inner.complete(claimed);
    };
    const store = faultyOf(inner, { claim, complete });
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
    const SUCCESS = vi.fn().mockReturnValueOnce(first.opened);
    const { statusOf } = receiver({ SUCCESS }, { ...short, store });
    const delivery = statusOf(success);
    await vi.advanceTimersByTimeAsync(1_000);
    const other = await take(store, key, otherLease);
    return { store, other, delivery, statusOf, finish: first.open, runs: () => SUCCESS.mock.calls.length };
  }

  it("is recorded by the redelivery if the other process dies, and does not run again", async () => {
    const { delivery, statusOf, finish, runs } = await overtaken(500);
    finish();
    expect(await delivery).toBe("FAILED");
    await vi.advanceTimersByTimeAsync(500);
    expect([await statusOf(success), runs()]).toEqual(["DUPLICATE", 1]);
  });

  it("runs again if the other process has done it, and an operator has had that forgotten elsewhere", async () => {
    const { store, other, delivery, statusOf, finish, runs } = await overtaken(60_000);
    finish();
    expect(await delivery).toBe("FAILED");
    await store.complete(other);
    expect(await statusOf(success)).toBe("DUPLICATE");
    await store.forget(key);
    expect([await statusOf(success), runs()]).toEqual(["SUCCESS", 2]);
  });

  it("is recorded by a delivery that waited, if the other process has released the claim", async () => {
    const { store, other, delivery, statusOf, finish, runs } = await overtaken(60_000);
    const waiting = statusOf(success);
    await vi.advanceTimersByTimeAsync(100);
    finish();
    expect(await delivery).toBe("FAILED");
    await store.release(other);
    await vi.advanceTimersByTimeAsync(250);
    expect([await waiting, runs(), await store.find(key)]).toEqual([
      "DUPLICATE",
      1,
      expect.objectContaining({ state: "done" }),
    ]);
    expect([await statusOf(success), runs()]).toEqual(["DUPLICATE", 1]);
  });
});

describe("a claim whose response comes after its lease, when other work of this process is done", () => {
  it("is lost, and does not take the place of the claim of that work", async () => {
    const inner = memoryStore();
    const late = gate();
    let isAway = true;
    const claim = vi.fn<WebhookStore["claim"]>((wanted, request) => inner.claim(wanted, request));
    claim.mockImplementationOnce(async (wanted, request) => {
      const result = await inner.claim(wanted, request);
      await late.opened;
      return result;
    });
    const complete: WebhookStore["complete"] = async (claimed) =>
      isAway ? Promise.reject(new Error("away")) : inner.complete(claimed);
    const store = faultyOf(inner, { claim, complete });
    const { statusOf, ran, told } = receiver({}, { ...short, store });
    const slow = statusOf(success);
    await vi.advanceTimersByTimeAsync(1_000);
    const quick = statusOf(success);
    await vi.advanceTimersByTimeAsync(10);
    late.open();
    await vi.advanceTimersByTimeAsync(10);
    isAway = false;
    await vi.advanceTimersByTimeAsync(500);
    expect([await slow, await quick, ran.length]).toEqual(["DUPLICATE", "SUCCESS", 1]);
    expect(told).toMatchObject([{ error: { reason: "workTimeout" } }]);
  });
});

describe("work of this process whose claim was lost, and that nobody has recorded", () => {
  it("does not run again although the claim of its redelivery acted, and only its response was lost", async () => {
    const inner = memoryStore();
    let isAway = false;
    const own: WebhookStore["claim"] = (wanted, request) => inner.claim(wanted, request);
    const claim = vi
      .fn(own)
      .mockImplementationOnce(own)
      .mockImplementationOnce(async (wanted, request) => {
        await inner.claim(wanted, request);
        throw new Error("ECONNRESET");
      });
    const complete: WebhookStore["complete"] = async (claimed) =>
      isAway ? Promise.reject(new Error("away")) : inner.complete(claimed);
    const SUCCESS = vi.fn(() => {
      isAway = true;
    });
    const { statusOf } = receiver({ SUCCESS }, { ...short, store: faultyOf(inner, { claim, complete }) });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await statusOf(success)).toBe("FAILED");
    isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    await first;
    expect([await statusOf(success), SUCCESS.mock.calls.length]).toEqual(["DUPLICATE", 1]);
  });

  it("runs again, and is recorded again, if the store forgets it as soon as another delivery has recorded it", async () => {
    const inner = memoryStore();
    const complete = vi.fn<WebhookStore["complete"]>((claim) => inner.complete(claim));
    complete.mockImplementationOnce(untilTestEnds).mockImplementationOnce(async (claim) => {
      const isRecorded = await inner.complete(claim);
      await inner.forget(key);
      return isRecorded;
    });
    const { statusOf, ran } = receiver({}, { ...short, store: faultyOf(inner, { complete }) });
    void statusOf(success);
    await vi.advanceTimersByTimeAsync(2_000);
    expect([await statusOf(success), ran.length]).toEqual(["SUCCESS", 2]);
    expect(await inner.find(key)).toMatchObject({ state: "done" });
  });

  it("runs again after an operator has had the store forget its reference", async () => {
    const store = memoryStore();
    const handled = gate();
    const SUCCESS = vi.fn().mockReturnValueOnce(handled.opened);
    const { statusOf, webhooks } = receiver({ SUCCESS }, { store, ...short });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(1_000);
    await take(store, key);
    handled.open();
    expect(await first).toBe("FAILED");
    await webhooks.forget(reference);
    expect([await statusOf(success), SUCCESS.mock.calls.length]).toEqual(["SUCCESS", 2]);
  });
});

describe("a store of the application whose claim is none", () => {
  it.each([
    { kind: "busy" },
    { kind: "claimed" },
    { kind: "claimed", claim: null, takenOver: false },
    { kind: "claimed", claim: { key, effect: "SUCCESS", token: "seven" }, takenOver: false },
    { kind: "claimed", claim: { key, effect: "SUCCESS", token: "7a" }, takenOver: false },
    { kind: "claimed", claim: { key, effect: "SUCCESS", token: "a7" }, takenOver: false },
  ])("%j runs nothing", async (result) => {
    const { statusOf, ran, told } = receiver({}, { store: faultyStore({ claim: async () => result as never }) });
    expect([await statusOf(success), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([{ hook: "failed", error: { name: "ConfigurationError" } }]);
  });

  it("runs nothing either for a claim that it shows of another delivery at work", async () => {
    const result = { kind: "inFlight", claim: { key, effect: "SUCCESS", token: "7" } };
    const faults = { claim: async () => result as never };
    const { statusOf, ran, told } = receiver({}, { store: faultyStore(faults) });
    expect([await later(5_500, statusOf(success)), ran]).toEqual(["FAILED", []]);
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "inFlight" } }]);
  });

  it("but one with a token of any length runs", async () => {
    const result = { kind: "claimed", claim: { key, effect: "SUCCESS", token: "1764300000000000" }, takenOver: false };
    const faults = { claim: async () => result as never, complete: async () => true };
    const { statusOf, ran } = receiver({}, { store: faultyStore(faults) });
    expect([await statusOf(success), ran]).toEqual(["SUCCESS", ["SUCCESS demo-po-1"]]);
  });
});

describe("a handler that still runs in this process when its lease is over", () => {
  /** A receiver whose first handler never ends, as that of a request whose isolate was frozen. */
  function frozen() {
    const handled = gate();
    const SUCCESS = vi.fn().mockReturnValueOnce(handled.opened);
    return { ...receiver({ SUCCESS }), thaw: handled.open, runs: () => SUCCESS.mock.calls.length };
  }

  it("holds back redeliveries until then, and no longer: the lease alone decides", async () => {
    const { statusOf, told, runs } = frozen();
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(5_500);
    expect([await first, await later(5_500, statusOf(success)), runs()]).toEqual(["FAILED", "FAILED", 1]);
    expect(told.map(({ error }) => error)).toMatchObject([
      { reason: "ackTimeout" },
      { reason: "workTimeout" },
      { reason: "inFlight" },
    ]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([await statusOf(success), await statusOf(success), runs()]).toEqual(["SUCCESS", "DUPLICATE", 2]);
  });

  it("and ends after another one took over, has lost its claim, which is reported", async () => {
    const { statusOf, told, thaw } = frozen();
    expect([await later(12_000, statusOf(success)), await statusOf(success)]).toEqual(["FAILED", "SUCCESS"]);
    thaw();
    await vi.advanceTimersByTimeAsync(0);
    expect(told.at(-1)).toMatchObject({ hook: "late", error: { reason: "claimLost" } });
    expect(await statusOf(success)).toBe("DUPLICATE");
  });
});

describe("work that is done, whose commit ended with its request", () => {
  it("is recorded by the redelivery once the lease is over, and does not run again", async () => {
    const inner = memoryStore();
    let isFrozen = true;
    // As on an isolate that ends a request with its promises: the commit of the first delivery never goes on.
    const complete: WebhookStore["complete"] = (claim) => (isFrozen ? new Promise(() => {}) : inner.complete(claim));
    const { statusOf, ran } = receiver({}, { store: faultyOf(inner, { complete }) });
    const first = statusOf(success);
    await vi.advanceTimersByTimeAsync(12_000);
    isFrozen = false;
    expect([await first, await statusOf(success), ran.length]).toEqual(["FAILED", "DUPLICATE", 1]);
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
