import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../../src/errors/request.ts";
import {
  durationMinutes,
  instantOf,
  minutesBetween,
  timeOrNull,
  wallClockIn,
} from "../../../src/flights/quote/times.ts";

describe("wall-clock times", () => {
  it.each([
    ["2026-11-23 23:59:00", "2026-11-23 23:59:00"],
    ["2026-11-23T23:59:00", "2026-11-23 23:59:00"],
    ["2026-11-23 23:59", "2026-11-23 23:59:00"],
    ["2026-11-23 23:59:00.000", "2026-11-23 23:59:00"],
    ["2026-11-23T23:59:59.9999999", "2026-11-23 23:59:59"],
    [" 2028-02-29 ", "2028-02-29 00:00:00"],
  ])("%j reads as %j", (text, time) => {
    expect(timeOrNull(text)).toBe(time);
  });

  it.each(["0001-01-01 00:00:00", "0001-06-30 12:00:00", "0000-00-00 00:00:00", "", "  ", null, undefined])(
    "%j is not applicable",
    (text) => {
      expect(timeOrNull(text)).toBeNull();
    },
  );

  it.each([
    "2027-02-29 00:00:00",
    "2027-13-01 00:00:00",
    "2027-00-10 00:00:00",
    "2027-01-00 00:00:00",
    "2027-01-01 24:00:00",
    "2027-01-01 10:60:00",
    "2027-01-01T10:00:00Z",
    "tomorrow",
    20270101,
  ])("%j is not a time", (text) => {
    expect(timeOrNull(text)).toBeNull();
  });

  it("keeps every time of the service as it is", () => {
    const times = fc.date({ min: new Date("1900-01-01"), max: new Date("2999-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(times, (date) => {
        const text = date.toISOString().slice(0, 19).replace("T", " ");
        expect(timeOrNull(text)).toBe(text);
        expect(wallClockIn(date, "UTC")).toBe(text);
      }),
    );
  });

  it("counts minutes on one wall, over midnight, new year and leap day", () => {
    expect(minutesBetween("2027-12-31 23:30:00", "2028-01-01 00:15:00")).toBe(45);
    expect(minutesBetween("2028-02-28 00:00:00", "2028-03-01 00:00:00")).toBe(2880);
    expect(minutesBetween("2027-04-02 07:30:00", "2027-04-02 07:00:00")).toBe(-30);
  });
});

describe("a time zone that the caller names", () => {
  it("turns a wall-clock time into an instant and back", () => {
    expect(instantOf("2026-11-21 18:30:00", "Asia/Kolkata")).toBe(Date.UTC(2026, 10, 21, 13, 0));
    expect(wallClockIn(Date.UTC(2026, 10, 21, 13, 0), "Asia/Kolkata")).toBe("2026-11-21 18:30:00");
    expect(instantOf("0001-01-01 00:00:00", "Asia/Kolkata")).toBeNull();
  });

  it("is the second argument in both directions, and the error of the other order says so", () => {
    const [text, zone] = ["2026-11-21 18:30:00", "Asia/Kolkata"];
    expect(wallClockIn(instantOf(text, zone) ?? 0, zone)).toBe(text);
    expect(() => wallClockIn(zone as never, 0 as never)).toThrow(/^wallClockIn: `zone` must be a time zone/);
  });

  it.each(["Asia/Nowhere", "", undefined, 5])("refuses %j", (zone) => {
    expect(() => instantOf("2026-11-21 18:30:00", zone as never)).toThrow(ConfigurationError);
    expect(() => wallClockIn(0, zone as never)).toThrow(ConfigurationError);
  });

  it("refuses an invalid instant", () => {
    expect(() => wallClockIn(Number.NaN, "UTC")).toThrow(ConfigurationError);
    expect(() => wallClockIn(new Date(Number.NaN), "UTC")).toThrow(ConfigurationError);
  });

  it("reads an hour that the zone skips as the one after it, and a doubled one as its first", () => {
    expect(instantOf("2027-03-28 01:30:00", "Europe/London")).toBe(Date.UTC(2027, 2, 28, 1, 30));
    expect(instantOf("2027-10-31 01:30:00", "Europe/London")).toBe(Date.UTC(2027, 9, 31, 0, 30));
  });

  it.each([
    ["half an hour that is doubled", "2027-04-04 01:45:00", "Australia/Lord_Howe", Date.UTC(2027, 3, 3, 14, 45)],
    ["the day after a change", "2027-03-29 00:30:00", "Europe/London", Date.UTC(2027, 2, 28, 23, 30)],
    ["a zone behind UTC", "2027-01-01 00:00:00", "America/St_Johns", Date.UTC(2027, 0, 1, 3, 30)],
    ["a time before there were zones", "1900-01-01 00:00:00", "Asia/Kolkata", Date.UTC(1899, 11, 31, 18, 38, 50)],
  ])("reads %s", (_what, text, zone, instant) => {
    expect(instantOf(text, zone)).toBe(instant);
    expect(wallClockIn(instant, zone)).toBe(text);
  });
});

describe("§2.5 duration", () => {
  it.each([
    ["2h 15m", 135],
    ["7h 09m", 429],
    ["2h15m", 135],
    ["2 hrs 15 mins", 135],
    ["2 hours, 15 minutes", 135],
    ["2hr. 5min.", 125],
    ["45m", 45],
    ["3h", 180],
    ["1d 2h 5m", 1565],
    ["02:15", 135],
    ["02:15:00", 135],
    ["135", 135],
    ["0", 0],
  ])("%j is %i minutes", (text, minutes) => {
    expect(durationMinutes(text)).toBe(minutes);
  });

  it.each(["", " ", ",", "soon", "2.5h", "-1h", "h m", "2h 15m 30x", "1:75", "9".repeat(41), null, 135])(
    "%j has no duration",
    (text) => {
      expect(durationMinutes(text)).toBeNull();
    },
  );

  it("never throws, for any string", () => {
    fc.assert(
      fc.property(fc.string(), (text) => [null, "number"].includes(durationMinutes(text) === null ? null : "number")),
    );
  });
});
