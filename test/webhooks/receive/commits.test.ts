import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { custom, memoryStore, type WebhookStore, Webhooks } from "../../../src/webhooks/index.ts";
import { later, stopClock } from "../../support/clock.ts";
import { gate, untilTestEnds } from "../../support/gate.ts";
import { runProgram } from "../../support/program.ts";
import { throws } from "../../support/throws.ts";
import { eventOf, faultyOf, faultyStore, noWork, receiver, reference } from "../support.ts";

beforeEach(() => stopClock());

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
  const effect = vi.fn(() => {
    state.isAway = true;
  });
  return { ...receiver({ SUCCESS: effect }, { store }), store, state, effect };
}

describe("a commit is tried until the store has responded", () => {
  it.each([1, 10, 24 * 60])("even if it is away for %s minutes: the effect happens once", async (outage) => {
    const { statusOf, state, effect, told } = interrupted();
    expect(await later(5_500, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "commitPending", cause: { message: "the store is away" } } },
    ]);
    await vi.advanceTimersByTimeAsync(outage * minutes);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000); // the longest pause
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(effect).toHaveBeenCalledOnce();
    expect(told).toHaveLength(1);
  });

  it("with pauses that grow to 30 seconds", async () => {
    const { statusOf, state } = interrupted();
    await later(5_500, statusOf(eventOf("SUCCESS")));
    await vi.advanceTimersByTimeAsync(10 * minutes);
    const before = state.commits;
    await vi.advanceTimersByTimeAsync(10 * minutes);
    expect(state.commits - before).toBe(20);
    expect(before).toBeLessThan(32);
  });

  it("immediately when a redelivery arrives, which waits for it instead of doing the work again", async () => {
    const { statusOf, state, effect } = interrupted();
    await later(5_500, statusOf(eventOf("SUCCESS")));
    await vi.advanceTimersByTimeAsync(10 * minutes); // past the lease, between two attempts
    state.isAway = false;
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(effect).toHaveBeenCalledOnce();
  });

  it("and a redelivery is FAILED while it is pending, whatever the lease, which is reported", async () => {
    const { statusOf, effect, told } = interrupted();
    await later(5_500, statusOf(eventOf("SUCCESS")));
    await vi.advanceTimersByTimeAsync(minutes);
    expect(await later(5_500, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    expect(effect).toHaveBeenCalledOnce();
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

  it("is reported at the end of `workTimeout` if the work was done after the response had left", async () => {
    const { store, state } = unsteadyStore();
    const { opened, open } = gate();
    const { statusOf, told } = receiver({ SUCCESS: () => opened }, { store });
    expect(await later(5_500, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    state.isAway = true;
    open();
    await vi.advanceTimersByTimeAsync(minutes);
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "ackTimeout" } },
      { hook: "late", error: { reason: "commitPending", cause: { message: "the store is away" } } },
    ]);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await statusOf(eventOf("SUCCESS"))).toBe("DUPLICATE");
    expect(told).toHaveLength(2);
  });

  it("is reported when another process has taken over the claim", async () => {
    const { statusOf, state, store, told } = interrupted();
    await later(5_500, statusOf(eventOf("SUCCESS")));
    await vi.advanceTimersByTimeAsync(minutes);
    state.isAway = false;
    const other = await store.claim(`payout:${reference}`, { effect: "SUCCESS", lease: 60_000 });
    expect(other).toMatchObject({ kind: "claimed", takenOver: true });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told).toMatchObject([
      { hook: "failed", error: { reason: "commitPending" } },
      { hook: "late", error: { reason: "claimLost" }, event: { client_referenceId: reference } },
    ]);
  });

  it("under the platform's waitUntil", async () => {
    const { handler, state } = interrupted();
    const kept: Promise<unknown>[] = [];
    const delivery = { headers: {}, body: JSON.stringify(eventOf("SUCCESS")) };
    await later(5_500, handler.receive(delivery, { waitUntil: (work) => void kept.push(work) }));
    let ended = false;
    void Promise.all(kept).then(() => {
      ended = true;
    });
    await vi.advanceTimersByTimeAsync(5 * minutes);
    expect(ended).toBe(false);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(ended).toBe(true);
  });

  it("of an event that was obtained by polling, too", async () => {
    const { store, state, effect } = interrupted();
    const handlers = { ...noWork, SUCCESS: effect };
    const processing = new Webhooks({ store, findOrder: "none" }).process(eventOf("SUCCESS"), handlers);
    await vi.advanceTimersByTimeAsync(5 * minutes);
    state.isAway = false;
    await vi.advanceTimersByTimeAsync(30_000);
    expect([await processing, effect.mock.calls.length]).toEqual(["SUCCESS", 1]);
  });
});

describe("a commit that the store does not respond to", () => {
  it("counts when the response to its first attempt is late, and there is none to the second", async () => {
    const late = gate();
    const inner = memoryStore();
    const complete = vi.fn<WebhookStore["complete"]>(untilTestEnds);
    complete.mockImplementationOnce((claim) => late.opened.then(() => inner.complete(claim)));
    const { statusOf, told } = receiver({}, { store: faultyOf(inner, { complete }) });
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(5_200);
    late.open();
    await vi.advanceTimersByTimeAsync(0);
    expect([await first, complete.mock.calls.length, told]).toEqual(["SUCCESS", 2, []]);
  });
});

describe("a delivery that waits for another one in the same process", () => {
  const options = { claimLease: 1_000, workTimeout: 1_000 };

  it("and whose store fails after its response had left, has reported already that the commit is pending", async () => {
    const inner = memoryStore();
    const asked = gate();
    let isSlow = false;
    const claim: WebhookStore["claim"] = async (key, request) => {
      if (isSlow) await asked.opened.then(() => Promise.reject(new Error("away")));
      return inner.claim(key, request);
    };
    const complete: WebhookStore["complete"] = () => Promise.reject(new Error("away"));
    const { statusOf, told } = receiver({}, { store: faultyOf(inner, { claim, complete }) });
    const both = [statusOf(eventOf("SUCCESS")), statusOf(eventOf("SUCCESS"))];
    await vi.advanceTimersByTimeAsync(5_200);
    isSlow = true;
    await vi.advanceTimersByTimeAsync(300);
    expect(await Promise.all(both)).toEqual(["FAILED", "FAILED"]);
    asked.open();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toMatchObject(Array(2).fill({ hook: "failed", error: { reason: "commitPending" } }));
  });

  it("waits for its commit too, though the lease runs out meanwhile", async () => {
    const { store: inner, state } = unsteadyStore();
    let isRefusing = true;
    const complete: WebhookStore["complete"] = (claim) =>
      isRefusing ? Promise.reject(new Error("the store refuses")) : inner.complete(claim);
    const store = { ...inner, complete };
    const handled = gate();
    const SUCCESS = vi.fn(() => handled.opened);
    const { statusOf, told } = receiver({ SUCCESS }, { ...options, store });
    const first = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(100);
    const second = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(700);
    handled.open();
    await vi.advanceTimersByTimeAsync(2_000);
    isRefusing = false;
    await vi.advanceTimersByTimeAsync(2_500);
    expect([await first, await second, told, state.commits]).toEqual(["SUCCESS", "DUPLICATE", [], 2]);
    expect(SUCCESS).toHaveBeenCalledOnce();
  });

  it.each([
    ["SUCCESS", "before", []],
    ["SUCCESS", "after", [{ hook: "failed", error: { reason: "claimLost" } }]],
    ["FAILED", "before", [{ hook: "onConflict", event: "SUCCESS then FAILED" }]],
    ["FAILED", "after", [{ hook: "failed", error: { reason: "claimLost" } }, { hook: "onConflict" }]],
  ])(
    "and asks a slow store with %s, records its work and does not run it again, when it took over the claim and learns so %s the first",
    async (status, order, hooks) => {
      const inner = memoryStore();
      const [handled, leaseOver, claimed] = [gate(), gate(), gate()];
      const release = vi.spyOn(inner, "release");
      const claim = vi.fn<WebhookStore["claim"]>((key, request) => inner.claim(key, request));
      claim.mockImplementationOnce((key, request) => inner.claim(key, request));
      claim.mockImplementationOnce(async (key, request) => {
        await leaseOver.opened;
        const result = await inner.claim(key, request);
        await claimed.opened;
        return result;
      });
      const complete: WebhookStore["complete"] = async (done) => {
        const result = await inner.complete(done);
        if (!result && order === "before") {
          claimed.open();
          await vi.advanceTimersByTimeAsync(10);
        }
        return result;
      };
      const store = faultyOf(inner, { claim, complete });
      const SUCCESS = vi.fn(() => handled.opened);
      const { statusOf, told, ran } = receiver({ SUCCESS }, { ...options, store });
      const [first, second] = [statusOf(eventOf("SUCCESS")), statusOf(eventOf(status))];
      await vi.advanceTimersByTimeAsync(1_400);
      leaseOver.open();
      handled.open();
      await vi.advanceTimersByTimeAsync(100);
      claimed.open();
      await vi.advanceTimersByTimeAsync(1_000);
      expect([await first, await second]).toEqual([order === "before" ? "SUCCESS" : "FAILED", "DUPLICATE"]);
      expect([SUCCESS.mock.calls.length, ran]).toEqual([1, []]);
      // The claim is kept: between its release and another claim somebody else could come.
      expect(release).not.toHaveBeenCalled();
      const effect = expect.stringContaining("status=SUCCESS");
      expect(await store.find(`payout:${reference}`)).toMatchObject({ state: "done", effect });
      // Both deliveries took longer than their deadline, which is reported.
      const late = { hook: "failed", error: { reason: "workTimeout" } };
      expect(told).toMatchObject([late, late, ...hooks]);
    },
  );
});

describe("a process with a pending commit", () => {
  it("lives until the store is back, with nothing else to keep it alive", async () => {
    vi.useRealTimers();
    const program = fileURLToPath(new URL("./owed-commit.ts", import.meta.url));
    expect(await runProgram(program)).toMatchObject({ exitCode: 0, output: "SUCCESS\n" });
  });
});

describe("a release that the store does not respond to", () => {
  it("keeps neither the handler's error nor the redelivery waiting", async () => {
    const SUCCESS = vi.fn().mockImplementationOnce(throws(new Error("the ledger is away")));
    const { statusOf, told } = receiver({ SUCCESS }, { store: faultyStore({ release: untilTestEnds }) });
    expect(await later(5_400, statusOf(eventOf("SUCCESS")))).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", error: { message: "the ledger is away" } }]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await later(5_500, statusOf(eventOf("SUCCESS")))).toBe("SUCCESS");
    expect(SUCCESS).toHaveBeenCalledTimes(2);
  });
});

it("work that is done and recorded has not failed while the store does not respond for its nonce", async () => {
  const inner = memoryStore();
  const complete: WebhookStore["complete"] = (claim) =>
    claim.key.startsWith("nonce:") ? untilTestEnds() : inner.complete(claim);
  const auth = [custom(() => ({ nonce: "n-1" }))];
  const { statusOf, told } = receiver({}, { store: faultyOf(inner, { complete }), auth });
  expect([await later(5_500, statusOf(eventOf("SUCCESS"))), told, vi.getTimerCount()]).toEqual(["SUCCESS", [], 0]);
});
