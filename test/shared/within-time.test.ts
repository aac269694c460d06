import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { withinTime } from "../../src/shared/within-time.ts";

const silence = () => new Promise<never>(() => {});

describe("the time for a step of a journal", () => {
  it("ends without a timer or a listener left, whatever the step does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { signal } = new AbortController();
      expect(await withinTime("The journal", () => Promise.resolve("row"), 1_000, signal)).toBe("row");
      await expect(
        withinTime("The journal", () => Promise.reject(new Error("disk full")), 1_000, signal),
      ).rejects.toThrow("disk full");
      expect(vi.getTimerCount()).toBe(0);
      expect(getEventListeners(signal, "abort")).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("is over at once for a signal that was aborted before", async () => {
    const reason = new Error("left");
    await expect(withinTime("The journal", silence, 1_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("is over when it is up, also without a signal", async () => {
    await expect(withinTime("The journal", silence, 1)).rejects.toThrow("The journal did not respond within 1 ms.");
  });
});
