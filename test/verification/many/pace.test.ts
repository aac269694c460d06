import { describe, expect, it, vi } from "vitest";
import { Pace } from "../../../src/verification/many/pace.ts";
import { later, movedTime } from "../../support/clock.ts";

/** A pace on a clock that this test moves, and the times at which turns begin. */
function paceOf(limits: ConstructorParameters<typeof Pace>[0]) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  const pace = new Pace(limits);
  const started: { index: number; at: number }[] = [];
  const start = (index: number, notBefore = 0) =>
    pace.turn(index, notBefore).then(
      () => started.push({ index, at: movedTime() }),
      () => {},
    );
  const times = () => started.map(({ at }) => at);
  return { pace, start, started, times };
}

/** The most turns that begin within a second. */
const mostPerSecond = (times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 1_000).length));

describe("Pace", () => {
  it.each([0.5, 1, 5, 7, 50, 1_000])(
    "%d per second is the most in any second, and nearly reached",
    async (perSecond) => {
      const { start, times } = paceOf({ concurrency: 1e9, perSecond });
      for (let index = 0; index < 2_500; index++) void start(index);
      const seconds = perSecond < 1 ? 40 : 4;
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
      const most = mostPerSecond(times());
      expect(most).toBeLessThanOrEqual(Math.max(1, perSecond));
      expect(times().length).toBeGreaterThanOrEqual(Math.min(2_500, Math.floor(0.96 * seconds * perSecond)));
    },
  );

  it("makes up for no more than 20 ms of an idle time: no burst follows a pause", async () => {
    const { pace, start, times } = paceOf({ concurrency: 1e9, perSecond: 50 });
    await vi.advanceTimersByTimeAsync(60_000);
    for (let index = 0; index < 200; index++) void start(index);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(mostPerSecond(times())).toBeLessThanOrEqual(50);
    pace.end(new Error("over"));
  });

  it("`hold` moves those that wait for their turn", async () => {
    const { pace, start, times } = paceOf({ concurrency: 1e9, perSecond: 10 });
    for (let index = 0; index < 5; index++) void start(index);
    await vi.advanceTimersByTimeAsync(150);
    const before = times().length;
    const heldAt = movedTime();
    pace.holdUntil(movedTime() + 7_000);
    await vi.advanceTimersByTimeAsync(6_990);
    expect(times()).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(times()).toHaveLength(5);
    expect(times()[before]).toBeGreaterThanOrEqual(heldAt + 7_000);
  });

  it("`confirm` gives a turn that is late, or from before a hold, another one, and its second counts", async () => {
    const { pace } = paceOf({ concurrency: 3, perSecond: 10 });
    const first = await pace.turn(0, 0);
    expect(await pace.confirm(0, first, 0)).toBe(first);
    const late = await later(150, pace.turn(1, 0));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await pace.confirm(1, late, 0)).toBe(movedTime());
    const third = await later(150, pace.turn(2, 0));
    pace.holdUntil(movedTime() + 5_000);
    const heldAt = movedTime();
    expect(await later(6_000, pace.confirm(2, third, 0))).toBeGreaterThanOrEqual(heldAt + 5_000);
    // Three are under way, also if one of them gets no other turn.
    pace.end(new Error("over"), 10_000);
    await expect(pace.confirm(2, third, 0)).rejects.toThrow("over");
    const started = vi.fn();
    const retry = pace.turn(3, movedTime()).then(started);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started).not.toHaveBeenCalled();
    pace.done();
    await vi.advanceTimersByTimeAsync(1_000);
    await retry;
  });

  it("spreads out requests that have waited for the same credentials", async () => {
    const { pace } = paceOf({ concurrency: 100, perSecond: 5 });
    const sent: number[] = [];
    const ready = new Promise((resolve) => setTimeout(resolve, 5_000));
    for (let index = 0; index < 100; index++) {
      void (async () => {
        const turn = await pace.turn(index, 0);
        await ready;
        sent.push(await pace.confirm(index, turn, 0));
        pace.done();
      })();
    }
    await vi.advanceTimersByTimeAsync(30_000);
    expect(mostPerSecond(sent)).toBeLessThanOrEqual(5);
    expect(sent).toHaveLength(100);
  });

  it("`giveBack` shortens no hold", async () => {
    const { pace, start, times } = paceOf({ concurrency: 10, perSecond: 1 });
    pace.holdUntil(movedTime() + 5_000);
    const heldAt = movedTime();
    for (let times = 0; times < 3; times++) pace.giveBack();
    void start(0);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(times()[0]).toBeGreaterThanOrEqual(heldAt + 5_000);
  });

  it("halves once for those that were under way together, down to a 32nd, and recovers to what was asked", async () => {
    const { pace, start, times } = paceOf({ concurrency: 8, perSecond: 100 });
    for (let index = 0; index < 8; index++) void start(index);
    await vi.advanceTimersByTimeAsync(200);
    const [first = 0] = times();
    for (let index = 0; index < 8; index++) pace.slowDown(first);
    for (let index = 0; index < 8; index++) pace.done();
    const from = times().length;
    for (let index = 0; index < 50; index++) void start(index).then(() => pace.done());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(times().length - from).toBeGreaterThan(45);
    expect(times().length - from).toBeLessThanOrEqual(50);
    for (let index = 0; index < 100; index++) {
      await vi.advanceTimersByTimeAsync(1);
      pace.slowDown(movedTime());
    }
    const slow = times().length;
    for (let index = 0; index < 50; index++) void start(index).then(() => pace.done());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times().length - slow).toBeGreaterThanOrEqual(29);
    expect(times().length - slow).toBeLessThanOrEqual(33);
    for (let index = 0; index < 50; index++) pace.speedUp();
    await vi.advanceTimersByTimeAsync(2_000);
    const recovered = times().length;
    for (let index = 0; index < 500; index++) void start(index).then(() => pace.done());
    await vi.advanceTimersByTimeAsync(2_000);
    expect(times().length - recovered).toBeGreaterThan(190);
    expect(mostPerSecond(times())).toBeLessThanOrEqual(100);
  });

  it("lets the lowest index go first, when its time has come", async () => {
    const { start, started } = paceOf({ concurrency: 1e9, perSecond: 10 });
    void start(9);
    void start(5);
    void start(2, movedTime() + 150);
    void start(4);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(started.map(({ index }) => index)).toEqual([9, 4, 2, 5]);
  });

  it("`stop` refuses all that wait and leaves no timer", async () => {
    const { pace, start } = paceOf({ concurrency: 1, perSecond: 1 });
    void start(0);
    const refused = pace.turn(1, 0);
    const error = new Error("over");
    pace.end(error);
    await expect(refused).rejects.toBe(error);
    await expect(pace.turn(2, 0)).rejects.toBe(error);
    expect(vi.getTimerCount()).toBe(0);
  });
});
