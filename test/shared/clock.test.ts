import { describe, expect, it } from "vitest";
import { checkedClock } from "../../src/shared/clock.ts";

describe("checkedClock", () => {
  it("returns what the clock returns, and the present without one", () => {
    expect(checkedClock("checkout", () => -5.5)()).toBe(-5.5);
    expect(Math.abs(checkedClock("checkout", undefined)() - Date.now())).toBeLessThan(1_000);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, "5", null, undefined, new Date()])("refuses %s", (time: unknown) => {
    expect(checkedClock("checkout", () => time as number)).toThrow(
      "checkout: `now` must return milliseconds since 1970.",
    );
  });

  it("refuses a clock that breaks later on", () => {
    let time = 1;
    const now = checkedClock("checkout", () => time);
    expect(now()).toBe(1);
    time = Number.NaN;
    expect(now).toThrow(/`now` must return/);
  });
});
