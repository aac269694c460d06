import { expect, it } from "vitest";
import { type BookingChanges, summarizeChanges } from "../../../src/flights/changes/summary.ts";
import { only, sampleOffer } from "../offers.ts";

const quoted = only(sampleOffer("domestic-oneway-full-service").segments);
const other = { ...quoted, airline_code: "6E", flight_number: "777" };
const [name, another] = [`${quoted.airline_code} ${quoted.flight_number}`, "6E 777"];
const same: Omit<BookingChanges, "summary"> = {
  changed: false,
  price: { quoted: null, booked: null, extras: null, difference: null, flagged: false },
  flights: [],
  timeFlagged: false,
  terms: [],
  passengers: [],
  missingSeats: [],
  notCompared: [],
};
const inr = (amount: string) => ({ ...same.price, difference: { amount, currency: "INR" } });
const seat = { passenger: 0, code: "12A", origin: "DEL", destination: "BOM" };

it.each<[string, Partial<BookingChanges>, RegExp]>([
  ["nothing", {}, /^$/],
  ["the same price", { price: inr("0") }, /^$/],
  ["a higher price", { price: inr("500") }, /INR 500 higher/],
  ["a lower price", { price: inr("-500.5") }, /INR 500\.5 lower/],
  ["a price that is flagged only", { price: { ...inr("0"), flagged: true } }, /price has changed/],
  ["a price that is not known", { price: { ...same.price, flagged: true } }, /price has changed/],
  ["a flight that is missing", { flights: [{ kind: "missing", index: 0, quoted }] }, RegExp(`${name} is not booked`)],
  ["one that was added", { flights: [{ kind: "added", index: 1, booked: other }] }, /6E 777 is booked and was not/],
  [
    "one that was replaced",
    { flights: [{ kind: "replaced", index: 0, quoted, booked: other }] },
    RegExp(`${name} is replaced by ${another}\\.`),
  ],
  [
    "one that is not confirmed, of which a time is flagged",
    { flights: [{ kind: "notConfirmed", index: 0, quoted, booked: quoted }], timeFlagged: true },
    RegExp(`${name} is not confirmed\\..*times have changed`),
  ],
  [
    "an earlier departure, which is flagged",
    { flights: [{ kind: "time", index: 0, quoted, departureMinutes: -50, arrivalMinutes: 0 }], timeFlagged: true },
    RegExp(`^Flight ${name} leaves 50 minutes earlier\\.$`),
  ],
  [
    "a later arrival",
    { flights: [{ kind: "time", index: 0, quoted, departureMinutes: 0, arrivalMinutes: 10 }] },
    RegExp(`${name} arrives 10 minutes later\\.`),
  ],
  [
    "a departure that is not known",
    { flights: [{ kind: "time", index: 0, quoted, departureMinutes: null, arrivalMinutes: 10 }] },
    RegExp(`${name} has other times\\.`),
  ],
  [
    "an arrival that is not known",
    { flights: [{ kind: "time", index: 0, quoted, departureMinutes: 0, arrivalMinutes: null }] },
    RegExp(`A time of flight ${name} cannot be compared\\.`),
  ],
  [
    "a term of a flight",
    { terms: [{ kind: "baggage", index: 0, before: "25 kg", after: "15 kg" }] },
    RegExp(`baggage allowance of flight ${name} is 15 kg instead of 25 kg\\.`),
  ],
  [
    "a term of the booking",
    { terms: [{ kind: "refundable", before: "", after: "no" }] },
    /^The refund rule is no instead of not given\.$/,
  ],
  ["a passenger who is missing", { passengers: [{ kind: "missing", passenger: 1 }] }, /Passenger 2 is not booked/],
  ["one who was added", { passengers: [{ kind: "added", booked: 2 }] }, /Passenger 3 of the booking was not sent/],
  [
    "one whose name differs",
    { passengers: [{ kind: "changed", passenger: 0, booked: 0, fields: ["fname", "dob"] }] },
    /Passenger 1 is booked with another fname, dob\./,
  ],
  ["a seat that is missing", { missingSeats: [seat] }, /Seat 12A \(DEL-BOM\) is not booked\./],
  ["what was not compared", { notCompared: ["price", "flights"] }, /check by hand: price, flights\./],
])("the summary says to a person: %s", (_, changes, said) => {
  expect(summarizeChanges({ ...same, ...changes }, [quoted])).toMatch(said);
});
