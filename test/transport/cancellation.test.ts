import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { CallScope } from "../../src/transport/cancellation.ts";
import { suspendable, watchDelays } from "../support/suspended.ts";
import { countTimers } from "../support/timers.ts";

const cancelled = (scope: CallScope) => new Promise<void>((resolve) => scope.onCancel(resolve));
const never = new Promise<never>(() => {});
const stands = () => 0;

describe("a call whose process was suspended beyond its deadlines", () => {
  it.each([
    ["in an attempt", [10_000]],
    ["before an attempt", []],
  ])("sets no timer in the past after work that no deadline counts, and ends: %s", async (_case, attempts) => {
    const delays = watchDelays();
    const suspend = suspendable(stands);
    const scope = new CallScope(undefined, 20_000);
    for (const timeout of attempts) scope.startAttempt(timeout);
    suspend();
    await scope.pauseFor(Promise.resolve());
    expect(delays()).toEqual([20_000, ...attempts, 0]);
    await cancelled(scope);
    expect(scope.cancellation).toEqual({ by: "deadline", deadline: "total", timeout: 20_000 });
    scope.close();
  });
});

describe("the timers of a call", () => {
  it("are one, for the nearer deadline: of the call, or of its attempt, which the next attempt replaces", () => {
    const timers = countTimers();
    const delays = watchDelays();
    suspendable(stands);
    const scope = new CallScope(undefined, 20_000);
    scope.startAttempt(10_000);
    expect(timers()).toBe(1);
    scope.startAttempt(5_000);
    scope.startAttempt(Number.POSITIVE_INFINITY);
    scope.startAttempt(30_000);
    scope.startAttempt(10_000);
    scope.cancelAttempt();
    expect(timers()).toBe(1);
    expect(delays()).toEqual([20_000, 10_000, 5_000, 20_000, 20_000, 10_000, 20_000]);
    scope.close();
    expect(timers()).toBe(0);
    scope.cancelAttempt();
    expect(timers()).toBe(0);
  });

  it("keep the deadline that was set, if another one is not earlier", async () => {
    const pass = suspendable(stands);
    for (const [left, timeout] of [
      [1, 1],
      [2, 20],
      [5, 20],
    ] as const) {
      const scope = new CallScope(undefined, 20);
      pass(18);
      scope.limitTo(left);
      await cancelled(scope);
      expect(scope.cancellation).toEqual({ by: "deadline", deadline: "total", timeout });
      scope.close();
    }
  });

  it("are none without deadlines, also after work that no deadline counts", async () => {
    const timers = countTimers();
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    await scope.pauseFor(Promise.resolve());
    scope.startAttempt(Number.POSITIVE_INFINITY);
    await scope.pauseFor(Promise.resolve());
    expect(timers()).toBe(0);
    expect(scope.remaining).toBe(Number.POSITIVE_INFINITY);
  });

  it("wait for work that no deadline counts", async () => {
    const timers = countTimers();
    const scope = new CallScope(undefined, 20_000);
    scope.startAttempt(10_000);
    const exempt = scope.pauseFor(Promise.resolve("done"));
    expect(timers()).toBe(0);
    expect(await exempt).toBe("done");
    expect(timers()).toBe(1);
    scope.close();
  });

  it("go on afterwards with the time that was left", async () => {
    const delays = watchDelays();
    const pass = suspendable(stands);
    const scope = new CallScope(undefined, 20_000);
    scope.startAttempt(10_000);
    pass(3_000);
    const exempt = scope.pauseFor(Promise.resolve());
    pass(5_000);
    await exempt;
    scope.cancelAttempt();
    expect(delays()).toEqual([20_000, 10_000, 7_000, 17_000]);
    scope.close();
  });
});

describe("the signal of an attempt", () => {
  it("is kept by the next attempt, unless it was aborted", () => {
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    const { signal } = scope;
    scope.startAttempt(Number.POSITIVE_INFINITY);
    expect(scope.signal).toBe(signal);
    scope.cancelAttempt();
    expect(signal.aborted).toBe(true);
    scope.startAttempt(Number.POSITIVE_INFINITY);
    expect(scope.signal).not.toBe(signal);
    expect(scope.signal.aborted).toBe(false);
  });

  it("has the caller's reason, and that of the runtime at a deadline", async () => {
    const reason = new Error("enough");
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    scope.abort(reason);
    expect(scope.signal.reason).toBe(reason);
    const late = new CallScope(undefined, 0);
    await cancelled(late);
    expect(late.signal.reason).toMatchObject({ name: "AbortError" });
  });

  it("costs no DOMException if the caller gives no reason", () => {
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    scope.abort(undefined);
    expect(scope.signal.reason).toBe("abandoned");
    expect(scope.cancellation).toEqual({ by: "caller", reason: undefined });
  });
});

describe("a cancellation", () => {
  it("by an attempt's deadline ends with the attempt", async () => {
    const scope = new CallScope(undefined, 20_000);
    scope.startAttempt(0);
    await cancelled(scope);
    expect(scope.signal.aborted).toBe(true);
    scope.cancelAttempt();
    expect(scope.cancellation).toBeUndefined();
    scope.close();
  });

  it.each<[string, (scope: CallScope) => void, object]>([
    ["the caller", (scope) => scope.abort("first"), { by: "caller", reason: "first" }],
    ["the call's deadline", () => {}, { by: "deadline", deadline: "total", timeout: 0 }],
  ])("by %s is the end of the call, and the first counts", async (_case, cancel, cancellation) => {
    const timers = countTimers();
    const scope = new CallScope(undefined, 0);
    cancel(scope);
    await cancelled(scope);
    expect(timers()).toBe(0);
    scope.abort("second");
    scope.cancelAttempt();
    scope.startAttempt(10_000);
    expect(timers()).toBe(0);
    expect(scope.cancellation).toEqual(cancellation);
    expect(scope.signal.aborted).toBe(true);
    scope.close();
    expect(timers()).toBe(0);
  });

  it("reaches each wait once, and none that is over", async () => {
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    let stops = 0;
    scope.onCancel(() => stops++);
    scope.startAttempt(0);
    scope.onCancel(() => stops++);
    await expect(scope.race(never)).rejects.toThrow();
    expect(stops).toBe(1);
    scope.cancelAttempt();
    scope.startAttempt(0);
    await expect(scope.race(never)).rejects.toThrow();
    expect(stops).toBe(1);
    scope.cancelAttempt();
    scope.startAttempt(0);
    scope.onCancel(() => stops++);
    await expect(scope.race(never)).rejects.toThrow();
    scope.cancelAttempt();
    scope.onCancel(() => stops++);
    scope.abort("left");
    expect(stops).toBe(3);
  });

  it("reaches nothing after the call has closed", () => {
    const scope = new CallScope(undefined, Number.POSITIVE_INFINITY);
    scope.onCancel(expect.unreachable);
    scope.close();
    scope.abort("late");
  });
});

describe("the caller's signal", () => {
  it.each<[string, (scope: CallScope) => void, number]>([
    ["is released when the call closes", (scope) => scope.close(), 0],
    ["is kept when only the deadlines end", (scope) => scope.stopTimers(), 1],
  ])("%s, and no timer is left", (_case, end, listeners) => {
    const timers = countTimers();
    const { signal } = new AbortController();
    const scope = new CallScope(signal, 20_000);
    scope.startAttempt(10_000);
    end(scope);
    expect(timers()).toBe(0);
    expect(getEventListeners(signal, "abort")).toHaveLength(listeners);
    scope.close();
  });
});
