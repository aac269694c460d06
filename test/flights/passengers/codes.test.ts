import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ValidatePassengersOptions, validatePassengers } from "../../../src/flights/passengers/index.ts";
import { checks, errors, type PassengerIssueCode } from "../../../src/flights/passengers/issues.ts";
import type { FareQuoteResult, Passenger } from "../../../src/flights/types/index.ts";
import { only, sampleOffer, samplePassengers } from "../offers.ts";

const adult = only(samplePassengers("oneway-adult"));
const segment = only(sampleOffer("domestic-oneway-full-service").segments); // DEL-BOM on 2027-02-10
const child = { ...adult, fname: "KABIR", title: "Mstr", passenger_type: "child", dob: "2019-08-20" } as const;
const infant = { ...adult, fname: "TARUN", title: "Mstr", passenger_type: "infant", dob: "2026-08-20" } as const;
const seat = { code: "1A", origin: "DEL", destination: "BOM" };
const gst = {
  gst_company_name: "Example",
  gst_number: "29AAAAA0000A1Z5",
  gst_company_address: "1 Park",
  gst_company_mobile: "6000000009",
  gst_company_email: "a@example.com",
};
const quoteFor = (passenger_type: unknown): never =>
  [{ currency: "INR", passenger_type, passenger_count: 1, basefare: 1 }] as never;

interface Case {
  readonly passengers?: readonly (Passenger | object)[];
  readonly offer?: Partial<FareQuoteResult>;
  readonly options?: ValidatePassengersOptions;
}

/** The smallest change to one adult on one flight that brings each code about. */
const cases: Readonly<Record<PassengerIssueCode, Case>> = {
  invalid_field: { passengers: [{ ...adult, city: "" }] },
  no_passengers: { passengers: [] },
  too_many_passengers: { passengers: [adult, { ...adult, fname: "SECOND" }], options: { maxPassengers: 1 } },
  infants_exceed_adults: { passengers: [adult, infant, { ...infant, fname: "TARA" }] },
  count_differs_from_quote: { offer: { fare_breakdown: quoteFor("child") } },
  quote_type_unknown: { offer: { fare_breakdown: quoteFor("senior") } },
  quote_counts_unreadable: { offer: { fare_breakdown: quoteFor(null) } },
  quote_flag_unreadable: { offer: { gst_mandatory: "maybe" as never } },
  lead_not_adult: { passengers: [child, adult] },
  passenger_repeated: { passengers: [adult, adult] },
  departure_unknown: { offer: { segments: [] } },
  born_after_departure: { passengers: [adult, { ...infant, dob: "2027-02-11" }] },
  adult_too_young: { passengers: [{ ...adult, dob: "2020-01-01" }] },
  child_too_young: { passengers: [adult, { ...child, dob: "2026-08-20" }] },
  child_too_old: { passengers: [adult, { ...child, dob: "1990-01-01" }] },
  infant_too_old: { passengers: [adult, { ...infant, dob: "2019-08-20" }] },
  senior_fare_age: { offer: { fare_type: "Senior Citizen" } },
  title_gender_mismatch: { passengers: [{ ...adult, title: "Mrs" }] },
  title_age_mismatch: { passengers: [{ ...adult, title: "Mstr" }] },
  name_characters: { passengers: [{ ...adult, fname: "R2D2" }] },
  name_punctuation: { passengers: [{ ...adult, lname: "O'BRIEN" }] },
  name_not_latin: { passengers: [{ ...adult, fname: "JOSÉ" }] },
  name_spacing: { passengers: [{ ...adult, fname: "RAVI " }] },
  gst_missing: { offer: { gst_mandatory: true } },
  gst_incomplete: { passengers: [{ ...adult, gst: { ...gst, gst_company_name: "" } }] },
  gst_number_form: { passengers: [{ ...adult, gst: { ...gst, gst_number: "29-1" } }] },
  gst_contact_form: { passengers: [{ ...adult, gst: { ...gst, gst_company_email: "nobody" } }] },
  passport_required_at_book: { offer: { passport_required_at_book: true } },
  passport_required_at_ticket: { offer: { passport_required_at_ticket: true } },
  passport_expiry_unreadable: { options: { extraBody: { passengers: [{ passport_expiry: "30/05/2020" }] } } },
  passport_expires: { options: { extraBody: { passengers: [{ passport_expiry: "2027-02-09" }] } } },
  pan_required_at_book: { offer: { pan_required_at_book: true } },
  pan_required_at_ticket: { offer: { pan_required_at_ticket: true } },
  hold_mandatory_with_ssr: { offer: { hold_mandatory_with_ssr: true }, passengers: [{ ...adult, seat: [seat] }] },
  service_unknown_leg: { passengers: [{ ...adult, meal: [{ ...seat, origin: "BLR" }] }] },
  service_repeated_leg: { passengers: [{ ...adult, meal: [seat, seat] }] },
  service_for_infant: { passengers: [adult, { ...infant, seat: [seat] }] },
  seat_taken_twice: {
    passengers: [
      { ...adult, seat: [seat] },
      { ...child, seat: [seat] },
    ],
  },
  segment_not_confirmed: { offer: { segments: [{ ...segment, flight_status: "Waitlisted" }] } },
  flight_departed: { options: { now: Date.UTC(2027, 1, 11) }, offer: { last_ticket_date: "" } },
  ticket_deadline_passed: { options: { now: Date.UTC(2026, 10, 24) } },
  ticket_deadline_unreadable: { offer: { last_ticket_date: "soon" } },
};

const page = readFileSync(new URL("../../../docs/passenger-checks.md", import.meta.url), "utf8");

describe.each(Object.entries(cases))("the passenger check %s", (code, { passengers = [adult], offer, options }) => {
  const severity = code in errors ? "error" : "warning";
  const check = (more: ValidatePassengersOptions = {}) =>
    validatePassengers(sampleOffer("domestic-oneway-full-service", { fare_breakdown: [], ...offer }), passengers, {
      ...options,
      ...more,
    }).filter((issue) => issue.code === code);

  it(`is an issue of severity ${severity}, in a sentence`, () => {
    const found = check();
    expect(found.length).toBeGreaterThan(0);
    for (const issue of found) {
      expect(issue.severity).toBe(severity);
      expect(issue.message).toMatch(/^(?!(?:Is|Has|Names|Must)\b)[A-Z].*\.$/s);
    }
  });

  it("never stops a booking once it is accepted", () => {
    expect(check({ acceptIssues: [code as PassengerIssueCode] }).map((issue) => issue.severity)).toContain("warning");
  });

  it("has its row in docs/passenger-checks.md", () => {
    expect(page).toMatch(new RegExp(`^\\| *\`${code}\` *\\| *${severity} *\\|`, "m"));
  });
});

describe("docs/passenger-checks.md", () => {
  it("lists no other code", () => {
    const listed = [...page.matchAll(/^\| *`([a-z_]+)` *\| *(?:error|warning) *\|/gm)].map(([, code]) => code);
    expect(listed.sort()).toEqual(Object.keys(checks).sort());
  });
});
