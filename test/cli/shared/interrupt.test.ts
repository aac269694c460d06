import { describe, expect, it, onTestFinished, vi } from "vitest";
import { interrupted, interruptible } from "../../../src/cli/shared/process.ts";

/** Returns a function that does what a signal does to the command, and nothing to the test runner. */
function interruptNow(before: number): () => void {
  const [take] = process.rawListeners("SIGINT").slice(before);
  return () => take?.("SIGINT");
}

/** Starts a clock that the test moves. */
function startClock(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
}

describe("interruptible", () => {
  it("aborts on the first signal, passes the second on, and listens no more at the end", async () => {
    startClock();
    const before = process.listenerCount("SIGINT");
    const onSecond = vi.fn();
    const seen = await interruptible(async (signal) => {
      const interrupt = interruptNow(before);
      interrupt();
      const first = [signal.aborted, onSecond.mock.calls.length];
      vi.advanceTimersByTime(100);
      interrupt();
      return [...first, onSecond.mock.calls.length];
    }, onSecond);
    expect(seen).toEqual([true, 0, 1]);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  it("takes signals within 100 ms for one: npx passes on what the terminal has sent already", async () => {
    startClock();
    const before = process.listenerCount("SIGINT");
    const onSecond = vi.fn();
    await interruptible(async () => {
      const interrupt = interruptNow(before);
      interrupt();
      interrupt();
      vi.advanceTimersByTime(99);
      interrupt();
    }, onSecond);
    expect(onSecond).not.toHaveBeenCalled();
    vi.advanceTimersByTime(100);
  });

  it("ignores the copy of a signal that comes after the end, and later ones end the process again", async () => {
    startClock();
    const before = process.listenerCount("SIGINT");
    await interruptible(async () => interruptNow(before)());
    expect(process.listenerCount("SIGINT")).toBe(before + 1);
    vi.advanceTimersByTime(100);
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  it("listens no more after an error", async () => {
    const before = process.listenerCount("SIGINT");
    await expect(interruptible(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  it("ends the process on the second signal if nobody else wants it", async () => {
    startClock();
    const before = process.listenerCount("SIGINT");
    const kill = vi.spyOn(process, "kill").mockReturnValue(true);
    await interruptible(async () => {
      const interrupt = interruptNow(before);
      interrupt();
      vi.advanceTimersByTime(100);
      interrupt();
    });
    expect(kill.mock.calls).toEqual([[process.pid, "SIGINT"]]);
    kill.mockRestore();
  });
});

it("interrupted() resolves on a signal, and ignores its copy", async () => {
  startClock();
  const before = process.listenerCount("SIGINT");
  const end = interrupted();
  interruptNow(before)();
  await end;
  expect(process.listenerCount("SIGINT")).toBe(before + 1);
  vi.advanceTimersByTime(100);
  expect(process.listenerCount("SIGINT")).toBe(before);
});
