import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryStore, type WebhookStore, Webhooks } from "../../src/webhooks/index.ts";
import { eventOf, faultyStore, receiver, reference } from "./support.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const minutes = 60_000;

/** A memory store that can be away, and says how often a commit was tried. */
function unsteadyStore() {
  const inner = memoryStore();
  const state = { isAway: false, commits: 0 };
  const unlessAway = <T>(call: () => Promise<T>) =>
    state.isAway ? Promise.reject(new Error("the store is away")) : call();
  const store: WebhookStore = {
    claim: (key, request) => unlessAway(() => inner.claim(key, request)),
    complete: (claim) => {
      state.commits += 1;
      return unlessAway(() => inner.complete(claim));
    },
    release: (claim) => unlessAway(() => inner.release(claim)),
    recordConflict: (key, status) => unlessAway(() => inner.recordConflict(key, status)),
    find: (key) => unlessAway(() => inner.find(key)),
    forget: (key) => unlessAway(() => inner.forget(key)),
  };
  return { store, state };
}

/** A receiver whose store goes away as soon as the effect is there. */
function interrupted() {
  const { store, state } = unsteadyStore();
  let effects = 0;
  const made = receiver(
    {
      SUCCESS: () => {
        effects += 1;
        state.isAway = true;
      },
    },
    { store },
  );
  return { ...made, store, state, effects: () => effects };
}

describe("a commit is tried until the store has responded", () => {
  it.each([1, 10, 24 * 60])("also when it is away for %s minutes: the effect is there once", async (outage) => {
    const { statusOf, state, effects, told } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    expect(await first).toBe("FAILED");
    expect(told).toMatchObject([
      { hook: "onError", error: { reason: "commitPending", cause: { message: "the store is away" } } },
    ]);
    await vi.advanceTimersByTimeAsync(outage * minutes);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000); // the longest pause
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(effects()).toBe(1);
    expect(told).toHaveLength(1);
  });

  it("with pauses that grow to 30 seconds", async () => {
    const { statusOf, state } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    await first;
    await vi.advanceTimersByTimeAsync(10 * minutes);
    const before = state.commits;
    await vi.advanceTimersByTimeAsync(10 * minutes);
    expect(state.commits - before).toBe(20);
    expect(before).toBeLessThan(32);
  });

  it("at once when a redelivery comes, which waits for it instead of doing the work again", async () => {
    const { statusOf, state, effects } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    await first;
    await vi.advanceTimersByTimeAsync(10 * minutes); // past the lease, between two attempts
    state.isAway = false;
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(effects()).toBe(1);
  });

  it("and a redelivery is FAILED while it is pending, whatever the lease, and told so", async () => {
    const { statusOf, effects, told } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    await first;
    await vi.advanceTimersByTimeAsync(minutes);
    const second = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    expect(await second).toBe("FAILED");
    expect(effects()).toBe(1);
    expect(told).toMatchObject([{ error: { reason: "commitPending" } }, { error: { reason: "commitPending" } }]);
  });

  it("SUCCESS when the store is back before the response is due", async () => {
    const { statusOf, state, told } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(2_000);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await first).toBe("SUCCESS");
    expect(told).toEqual([]);
  });

  it("is told of when another process took the claim over meanwhile", async () => {
    const { statusOf, state, store, told } = interrupted();
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_500);
    await first;
    await vi.advanceTimersByTimeAsync(minutes);
    state.isAway = false;
    const other = await store.claim(`payout:${reference}`, { status: "SUCCESS", leaseMs: 60_000 });
    expect(other).toMatchObject({ kind: "claimed", takenOver: true });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toMatchObject([
      { hook: "onError", error: { reason: "commitPending" } },
      { hook: "onLateError", error: { reason: "claimLost" }, event: { client_referenceId: reference } },
    ]);
  });

  it("under the platform's waitUntil, and without keeping the process alive", async () => {
    const { handler, state } = interrupted();
    const kept: Promise<unknown>[] = [];
    const delivery = { headers: {}, body: JSON.stringify(eventOf("SUCCESS")) };
    const response = handler.receive(delivery, { waitUntil: (work) => void kept.push(work) });
    const unref = vi.fn();
    const set = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms?: number) => {
      const timer = set(run, ms);
      const { unref: original } = timer;
      timer.unref = () => {
        unref();
        return original.call(timer);
      };
      return timer;
    }) as typeof setTimeout);
    await vi.advanceTimersByTimeAsync(5_500);
    await response;
    let ended = false;
    void Promise.all(kept).then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(5 * minutes);
    expect(ended).toBe(false);
    expect(unref.mock.calls.length).toBeGreaterThan(5);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ended).toBe(true);
    vi.restoreAllMocks();
  });

  it("of an event that was obtained by polling as well", async () => {
    const { store, state } = unsteadyStore();
    let effects = 0;
    const handlers = {
      SUCCESS: () => {
        effects += 1;
        state.isAway = true;
      },
      FAILED: () => {},
      REJECTED: () => {},
    };
    const processing = new Webhooks({ store, expectedPayout: "none" }).process(eventOf("SUCCESS"), handlers);
    await vi.advanceTimersByTimeAsync(5 * minutes);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect([await processing, effects]).toEqual(["SUCCESS", 1]);
  });

  it("where a store of one's own resolves with no boolean, the claim counts as lost", async () => {
    const store = faultyStore({ complete: async () => undefined as never });
    const { statusOf, told } = receiver({}, { store });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("FAILED");
    expect(told).toMatchObject([{ error: { reason: "claimLost" } }]);
  });
});
