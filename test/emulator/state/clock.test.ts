import { describe, expect, it, vi } from "vitest";
import { Clock } from "../../../src/emulator/state/clock.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";

describe("the emulator's clock", () => {
  it("stays at its start, if it has one, until it is moved", async () => {
    const clock = new Clock(1_000);
    expect(clock.now()).toBe(1_000);
    await clock.advance(500);
    expect(clock.now()).toBe(1_500);
  });

  it("follows real time by default, and can be moved forward too", async () => {
    vi.useFakeTimers({ now: 10_000 });
    const clock = new Clock(undefined);
    vi.setSystemTime(12_000);
    await clock.advance(3_000);
    expect(clock.now()).toBe(15_000);
  });

  it("runs the jobs that fall due on the way, in order, each at its own time", async () => {
    const clock = new Clock(0);
    const seen: [string, number][] = [];
    clock.at(30, async () => void seen.push(["late", clock.now()]));
    clock.at(10, async () => void seen.push(["early", clock.now()]));
    clock.at(99, async () => void seen.push(["never", clock.now()]));
    await clock.advance(50);
    expect(seen).toEqual([
      ["early", 10],
      ["late", 30],
    ]);
    expect(clock.now()).toBe(50);
  });

  it("also runs jobs that are added on the way, and completes its move", async () => {
    const clock = new Clock(0);
    const seen: number[] = [];
    clock.at(10, async () => clock.at(40, async () => void seen.push(clock.now())));
    await clock.runToEnd();
    expect(seen).toEqual([40]);
    expect(clock.now()).toBe(40);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("refuses to move by %s", async (ms) => {
    const clock = new Clock(5);
    await expect(clock.advance(ms)).rejects.toThrow(ConfigurationError);
    expect(clock.now()).toBe(5);
  });

  it("refuses to move beyond the last date, and goes on", async () => {
    const clock = new Clock(5);
    await expect(clock.advance(1e16)).rejects.toThrow("clock.advance: the time would be after the last date");
    await clock.advance(1);
    expect(clock.now()).toBe(6);
  });

  it("runs due jobs on its own if it follows real time", async () => {
    vi.useFakeTimers({ now: 0 });
    const clock = new Clock(undefined);
    const seen: number[] = [];
    clock.at(30_000, async () => void seen.push(clock.now()));
    await vi.advanceTimersByTimeAsync(29_999);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([30_000]);
  });

  it("waits for a job that is due after the longest timer, without waking up meanwhile", async () => {
    vi.useFakeTimers({ now: 0 });
    const timers = vi.spyOn(globalThis, "setTimeout");
    const clock = new Clock(undefined);
    const seen: number[] = [];
    const due = 2 ** 31 + 1_000;
    clock.at(due, async () => void seen.push(clock.now()));
    await vi.advanceTimersByTimeAsync(due - 1);
    expect([seen, timers.mock.calls.map(([, delay]) => delay)]).toEqual([[], [2 ** 31 - 1, 1_001]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([due]);
  });

  it("continues after a job that failed", async () => {
    vi.useFakeTimers({ now: 0 });
    const clock = new Clock(undefined);
    const job = vi.fn(async () => {});
    clock.at(10, () => Promise.reject(new Error("as planned")));
    clock.at(20, job);
    await vi.advanceTimersByTimeAsync(20);
    expect(job).toHaveBeenCalledTimes(1);
  });

  it("drops all jobs when it is cleared", async () => {
    vi.useFakeTimers({ now: 0 });
    const clock = new Clock(undefined);
    const job = vi.fn(async () => {});
    clock.at(10, job);
    clock.clear();
    await vi.advanceTimersByTimeAsync(100);
    await clock.runToEnd();
    expect(job).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });
});
