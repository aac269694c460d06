import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { pause, untilAborted } from "../../../src/emulator/http/wait.ts";
import { caught } from "../helpers.ts";

describe("a wait of the emulator", () => {
  it("rejects immediately if the signal is already aborted", async () => {
    vi.useFakeTimers();
    const gone = AbortSignal.abort(new Error("gone"));
    expect(await caught(pause(1_000, gone))).toMatchObject({ message: "gone" });
    expect(await caught(untilAborted(gone))).toMatchObject({ message: "gone" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("does not pass at once because it is longer than any timer", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const hasPassed = vi.fn();
    const passed = pause(99_999_999_999, stop.signal).then(hasPassed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hasPassed).not.toHaveBeenCalled();
    stop.abort(new Error("enough"));
    expect(await caught(passed)).toMatchObject({ message: "enough" });
  });

  it("leaves no timer when it is aborted, and no listener when it has passed", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const passed = pause(10, stop.signal);
    await vi.advanceTimersByTimeAsync(10);
    await passed;
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
    const aborted = caught(pause(10, stop.signal));
    stop.abort(new Error("enough"));
    expect(await aborted).toMatchObject({ message: "enough" });
    expect(vi.getTimerCount()).toBe(0);
  });
});
