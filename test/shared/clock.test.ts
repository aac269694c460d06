import { describe, expect, it, vi } from "vitest";
import { checkedClock } from "../../src/shared/clock.ts";
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
