import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { validatePassengers } from "../../../src/flights/passengers/index.ts";
import type { PassengerType } from "../../../src/flights/types/index.ts";
import { leaving, only, sampleOffer, samplePassengers } from "../offers.ts";

const adult = only(samplePassengers("oneway-adult"));
const segment = only(sampleOffer("domestic-oneway-full-service").segments);
const lead = { ...adult, fname: "LEAD", dob: "1970-01-01" };

const now = Date.UTC(2080, 0);

/** The age issues of one passenger on a trip that departs on these days. */
function ageIssues(type: PassengerType, dob: string, ...days: string[]) {
  const segments = days.map((day) => ({
    ...segment,
    origin: { ...segment.origin, departure_time: `${day} 23:55:00` },
  }));
  const offer = sampleOffer("domestic-oneway-full-service", { segments, fare_breakdown: [] });
  const title = type === "adult" ? "Mr" : "Mstr";
  // Long after everybody here is born: departed flights and expired deadlines are not the point.
  const issues = validatePassengers(offer, [lead, { ...adult, title, passenger_type: type, dob }], { now });
  return issues
    .filter(({ code }) => code !== "flight_departed" && code !== "ticket_deadline_passed")
    .map(({ code, suggestion }) => (suggestion === undefined ? code : `${code} → ${suggestion}`));
}

describe("ages, on the birthday and the day before", () => {
  it.each<[PassengerType, string, string[], string[]]>([
    ["adult", "2015-02-10", ["2027-02-10"], []],
    ["adult", "2015-02-11", ["2027-02-10"], ["adult_too_young → child"]],
    ["adult", "2026-02-11", ["2027-02-10"], ["adult_too_young → infant"]],
    ["child", "2015-02-11", ["2027-02-10"], []],
    ["child", "2015-02-10", ["2027-02-10"], ["child_too_old → adult"]],
    ["child", "2025-02-10", ["2027-02-10"], []],
    ["child", "2025-02-11", ["2027-02-10"], ["child_too_young → infant"]],
    ["infant", "2025-02-11", ["2027-02-10"], []],
    ["infant", "2025-02-10", ["2027-02-10"], ["infant_too_old → child"]],
    ["infant", "2027-02-10", ["2027-02-10"], []],
    ["infant", "2027-02-11", ["2027-02-10"], ["born_after_departure"]],
    ["adult", "2010-02-10", ["2027-02-10"], []],
  ])("%s born %s departing %j: %j", (type, dob, days, expected) => {
    expect(ageIssues(type, dob, ...days)).toEqual(expected);
  });

  it.each<[string, PassengerType, string, string[], string[]]>([
    [
      "an infant turns two on the day of the way back",
      "infant",
      "2025-01-05",
      ["2026-12-28", "2027-01-05"],
      ["infant_too_old → child"],
    ],
    ["an infant turns two the day after it", "infant", "2025-01-06", ["2026-12-28", "2027-01-05"], []],
    ["and then a child's seat is taken on both ways", "child", "2025-01-05", ["2026-12-28", "2027-01-05"], []],
    ["a child turns twelve under way", "child", "2015-01-05", ["2026-12-28", "2027-01-05"], []],
    [
      "a child turned twelve on the way out",
      "child",
      "2014-12-28",
      ["2026-12-28", "2027-01-05"],
      ["child_too_old → adult"],
    ],
    ["a leap-day child is two on 1 March", "infant", "2024-02-29", ["2026-02-28"], []],
    ["not a day later", "infant", "2024-02-29", ["2026-03-01"], ["infant_too_old → child"]],
    ["and twelve on 29 February of a leap year", "adult", "2016-02-29", ["2028-02-29"], []],
    ["and not on the 28th", "adult", "2016-02-29", ["2028-02-28"], ["adult_too_young → child"]],
    ["nobody is born under way", "infant", "2026-12-29", ["2026-12-28", "2027-01-05"], ["born_after_departure"]],
    [
      "segments out of order do not matter",
      "infant",
      "2025-01-05",
      ["2027-01-05", "2026-12-28"],
      ["infant_too_old → child"],
    ],
  ])("%s", (_case, type, dob, days, expected) => {
    expect(ageIssues(type, dob, ...days)).toEqual(expected);
  });
});

describe("ages, over many calendars", () => {
  const day = fc
    .date({ min: new Date("2012-01-01"), max: new Date("2040-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const near = fc.integer({ min: -2, max: 2 });
  const shift = (date: string, days: number) =>
    new Date(Date.parse(`${date}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
  /** The birthday as text: 29 February of a common year sorts between the 28th and 1 March. */
  const birthday = (dob: string, years: number) => `${Number(dob.slice(0, 4)) + years}${dob.slice(4)}`;
  const isAtLeast = (years: number, dob: string, on: string) => birthday(dob, years) <= on;

  it("each type is accepted exactly within its years, days around the birthday included", () => {
    fc.assert(
      fc.property(day, near, fc.constantFrom(2, 12), fc.integer({ min: 0, max: 40 }), (dob, offset, years, stay) => {
        const target = birthday(dob, years).replace("-02-29", "-03-01");
        const out = shift(target, offset);
        const back = shift(out, stay);
        const [twoOut, twoBack, twelve] = [isAtLeast(2, dob, out), isAtLeast(2, dob, back), isAtLeast(12, dob, out)];
        expect(ageIssues("adult", dob, out, back).length).toBe(twelve ? 0 : 1);
        expect(ageIssues("infant", dob, out, back).length).toBe(twoBack ? 1 : 0);
        expect(ageIssues("child", dob, out, back).length).toBe(twelve || !(twoOut || twoBack) ? 1 : 0);
      }),
    );
  });

  it("the suggested type is an accepted one", () => {
    const types = fc.constantFrom<PassengerType>("adult", "child", "infant");
    fc.assert(
      fc.property(
        types,
        day,
        fc.integer({ min: 0, max: 9000 }),
        fc.integer({ min: 0, max: 800 }),
        (type, dob, age, stay) => {
          const out = shift(dob, age);
          const [found = ""] = ageIssues(type, dob, out, shift(out, stay));
          const suggested = found.split(" → ")[1];
          if (suggested === "adult" || suggested === "child" || suggested === "infant") {
            expect(ageIssues(suggested, dob, out, shift(out, stay))).toEqual([]);
          }
        },
      ),
    );
  });
});

describe("a date of birth that cannot be right", () => {
  const offer = sampleOffer("domestic-oneway-full-service", { fare_breakdown: [] }); // 2027-02-10
  const today = Date.UTC(2026, 10, 21, 12);
  const birthIssues = (type: PassengerType, dob: string, at: number | undefined = today) =>
    validatePassengers(
      offer,
      [lead, { ...adult, title: type === "adult" ? "Mr" : "Mstr", passenger_type: type, dob }],
      {
        now: at,
      },
    ).map(({ code, problem, severity, path }) => `${severity} ${problem ?? code} ${path.at(-1)}`);

  it.each<[PassengerType, string, string[]]>([
    ["adult", "0001-01-01", ["error born_before_1900 dob"]],
    ["adult", "0000-01-01", ["error born_before_1900 dob"]],
    ["adult", "1875-03-01", ["error born_before_1900 dob"]],
    ["adult", "1899-12-31", ["error born_before_1900 dob"]],
    ["adult", "1900-01-01", []],
    ["child", "0001-01-01", ["error born_before_1900 dob", "error child_too_old passenger_type"]],
    ["infant", "0001-01-01", ["error born_before_1900 dob", "error infant_too_old passenger_type"]],
    ["infant", "2026-11-21", []],
    ["infant", "2026-11-22", ["error born_after_today dob"]],
    ["infant", "2027-02-10", ["error born_after_today dob"]],
    ["infant", "2027-02-11", ["error born_after_departure dob"]],
  ])("%s born %s: %j", (type, dob, expected) => {
    expect(birthIssues(type, dob)).toEqual(expected);
  });

  it("today is the date in the zone of the deadline, and the present by default", () => {
    expect(birthIssues("infant", "2026-11-22", Date.UTC(2026, 10, 21, 18, 30))).toEqual([]);
    const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const far = leaving(offer, { departure_time: "2999-01-01 00:00:00" });
    const infant = { ...adult, title: "Mstr", passenger_type: "infant", dob: tomorrow };
    expect(validatePassengers(far, [{ ...lead, dob: "2950-01-01" }, infant]).map(({ problem }) => problem)).toContain(
      "born_after_today",
    );
  });

  it("an accepted field hides no other check of the same field", () => {
    const late = { ...adult, dob: "2027-02-11" };
    const codes = validatePassengers(offer, [late], { now: today, acceptIssues: ["invalid_field"] });
    expect(codes).toMatchObject([{ code: "born_after_departure", severity: "error" }]);
  });
});
