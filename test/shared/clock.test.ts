import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { checkedClock, withinTime } from "../../src/shared/clock.ts";
import { stopClock } from "../support/clock.ts";

describe("a clock that is passed as an option", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, null, "0", 1n, new Date()])(
    "is refused when it returns %s",
    (time) => {
      const clock = checkedClock("Owner", () => time as never);
      expect(clock).toThrow(
        expect.objectContaining({
          name: "ConfigurationError",
          message: "Owner: `now` must return a finite number of milliseconds since 1970.",
        }),
      );
    },
  );

  it("is called at each use, and is this machine's by default", () => {
    let time = 0;
    const clock = checkedClock("Owner", () => time++);
    expect([clock(), clock()]).toEqual([0, 1]);
    stopClock("Date");
    expect(checkedClock("Owner", undefined)()).toBe(vi.getMockedSystemTime()?.getTime());
  });
});

const silence = () => new Promise<never>(() => {});

describe("the time for a step of a journal", () => {
  it("ends without a timer or a listener left, whatever the step does", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { signal } = new AbortController();
    expect(await withinTime("The journal", () => Promise.resolve("row"), 1_000, signal)).toBe("row");
    await expect(
      withinTime("The journal", () => Promise.reject(new Error("disk full")), 1_000, signal),
    ).rejects.toThrow("disk full");
    expect(vi.getTimerCount()).toBe(0);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is over at once for a signal that was aborted before", async () => {
    const reason = new Error("left");
    await expect(withinTime("The journal", silence, 1_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("is over when it is up, also without a signal", async () => {
    await expect(withinTime("The journal", silence, 1)).rejects.toThrow("The journal did not respond within 1 ms.");
  });
});
