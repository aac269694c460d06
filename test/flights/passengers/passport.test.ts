import { describe, expect, it } from "vitest";
import { validatePassengers } from "../../../src/flights/index.ts";
import { sampleOffer, samplePassengers } from "../offers.ts";

describe("a passport in `extraBody`", () => {
  const offer = sampleOffer("domestic-oneway-full-service", { passport_required_at_book: true });
  const passengers = samplePassengers("oneway-adult");
  const codes = (fields: object) =>
    validatePassengers(offer, passengers, { extraBody: { passengers: [fields] }, now: Date.UTC(2026, 10, 20) }).map(
      ({ code }) => code,
    );

  it.each(["passport", "passport_no", "passportNumber"])("is one in the field %s", (name) => {
    expect(codes({ [name]: "Z1234567" })).not.toContain("passport_required_at_book");
  });

  it("is missed for the passengers who lack one, and for the offer if all do", () => {
    const family = [...passengers, ...passengers, ...passengers];
    const pathsOf = (rows: readonly object[]) =>
      validatePassengers(offer, family, { extraBody: { passengers: rows }, now: Date.UTC(2026, 10, 20) })
        .filter(({ code }) => code === "passport_required_at_book")
        .map(({ path }) => path);
    const passport_no = "Z1234567";
    expect(pathsOf([{}, { passport_no }])).toEqual([
      ["passengers", 0],
      ["passengers", 2],
    ]);
    expect(pathsOf([{ passport_no }, { passport_no }, { passport_no }])).toEqual([]);
    expect(pathsOf([{}])).toEqual([["offer", "passport_required_at_book"]]);
  });

  it.each<object>([
    { passport: { value: "Z1234567" } },
    { passport: { doc_number: "Z1234567" } },
    { passportNr: "Z1234567" },
    { "passport.no": "Z1234567" },
    { adult_passport_number: "Z1234567" },
  ])("is one in %j", (fields) => {
    expect(codes(fields)).not.toContain("passport_required_at_book");
  });

  it.each(["Passport number A1234567", "A1234567 issued at New Delhi"])("is one in %j", (text) => {
    expect(codes({ passport_info: text })).not.toContain("passport_required_at_book");
  });

  it.each(["-", "N/A", " null ", "0000", "see mail", "To follow by 12 May", true])(
    "is not one if its number is %j",
    (number) => {
      for (const fields of [{ passport_no: number }, { passport_info: number }, { passport: { value: number } }])
        expect(codes(fields)).toContain("passport_required_at_book");
    },
  );

  it.each([
    "passport_expiry",
    "passportExpiryDate",
    "passport_issue_country",
    "passport_nationality",
    "passport_holder_name",
    "passportGivenName",
    "passport_dob",
    "passport_धारक",
  ])("is not one in the field %s alone", (name) => {
    expect(codes({ [name]: "2030-01-01" })).toContain("passport_required_at_book");
  });

  it.each<object>([
    { passport: { expiry_date: "2031-05-30" } },
    { passport: { holder_name: "RAVI" } },
    { passport_type: "P" },
  ])("is not one in %j, which has no number", (fields) => {
    expect(codes(fields)).toContain("passport_required_at_book");
    expect(codes({ passport: { number: "Z1234567", ...fields } })).not.toContain("passport_required_at_book");
  });

  it("is not out of date before it begins", () => {
    const dates = { passport_no: "Z1", passport_valid_from: "2020-01-01" };
    expect(codes(dates)).not.toContain("passport_expires");
    expect(codes({ ...dates, passport_valid_until: "2020-01-01" })).toContain("passport_expires");
  });
});
