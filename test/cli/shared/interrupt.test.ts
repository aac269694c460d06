import { expect, it, vi } from "vitest";
import { interruptible } from "../../../src/cli/shared/interrupt.ts";

/** Returns a function that does what a signal does to the command, and nothing to the test runner. */
function interruptNow(before: number): () => void {
  const [take] = process.listeners("SIGINT").slice(before);
  return () => take?.("SIGINT");
}

it("aborts on the first signal, passes the second on, and listens no more at the end", async () => {
  const before = process.listenerCount("SIGINT");
  const onSecond = vi.fn();
  const seen = await interruptible(async (signal) => {
    const interrupt = interruptNow(before);
    interrupt();
    const first = [signal.aborted, onSecond.mock.calls.length];
    interrupt();
    return [...first, onSecond.mock.calls.length];
  }, onSecond);
  expect(seen).toEqual([true, 0, 1]);
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("listens no more after an error", async () => {
  const before = process.listenerCount("SIGINT");
  await expect(interruptible(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("ends the process on the second signal if nobody else wants it", async () => {
  const before = process.listenerCount("SIGINT");
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  await interruptible(async () => {
    const interrupt = interruptNow(before);
    interrupt();
    interrupt();
  });
  expect(kill.mock.calls).toEqual([[process.pid, "SIGINT"]]);
  kill.mockRestore();
});
