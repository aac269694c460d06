import { expect, it, vi } from "vitest";
import { listenForInterrupt } from "../../../src/cli/flights/interrupt.ts";

it("aborts on the first signal, passes the second on, and listens no more once it is disposed", () => {
  const before = process.listenerCount("SIGINT");
  const onSecond = vi.fn();
  {
    using interrupt = listenForInterrupt(onSecond);
    const [take] = process.listeners("SIGINT").slice(before);
    take?.("SIGINT");
    expect([interrupt.signal.aborted, onSecond.mock.calls.length]).toEqual([true, 0]);
    take?.("SIGINT");
    expect(onSecond.mock.calls.length).toBe(1);
  }
  expect(process.listenerCount("SIGINT")).toBe(before);
});

it("ends the process on the second signal if nobody else wants it", () => {
  const before = process.listenerCount("SIGINT");
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  using _ = listenForInterrupt();
  const [take] = process.listeners("SIGINT").slice(before);
  take?.("SIGINT");
  take?.("SIGINT");
  expect(kill.mock.calls).toEqual([[process.pid, "SIGINT"]]);
  expect(process.listenerCount("SIGINT")).toBe(before);
  kill.mockRestore();
});
