import { elementsOf, field, jsonCopy, stringOf, trimmedScalar } from "../../shared/json.ts";
import { lettersOf } from "../../shared/names.ts";
import { type Money, priceOf, readMoney, subtractMoney, sumMoney } from "../quote/money.ts";
import { codeOf, isConfirmed, normalizeSegments, readFlag, textOf } from "../quote/normalize.ts";
import { dayOf, minutesBetween, timeOrNull } from "../quote/times.ts";
import { extraFares } from "../schemas.ts";
import type { BookedFare, FareQuoteResult, Passenger, Segment } from "../types/index.ts";
import {
  type BookingChanges,
  type FlightChange,
  type MissingSeat,
  type PassengerChange,
  type PriceChange,
  summarizeChanges,
  type Term,
  type TermChange,
  terms,
} from "./summary.ts";

export type { BookingChanges } from "./summary.ts";

/**
 * Compares a booking with the offer that the user saw. It never throws: the booking exists.
 *
 * @param offer - The fare quote result that was shown.
 * @param booked - `data.result` of the booking. `notCompared` names the parts of it that are missing or odd.
 * @param passengers - The passengers that were sent.
 *
 * @example
 * ```ts
 * import { compareBooking } from "serviceapi/flights";
 *
 * const { body } = await trip.book({ passengers });
 * const { changed, summary } = compareBooking(offer, body.data.result, passengers);
 * if (changed) console.log(summary);
 * ```
 */
export function compareBooking(
  offer: FareQuoteResult,
  booked: unknown,
  passengers: readonly Passenger[],
): BookingChanges {
  const quoted = normalizeSegments(field(offer, "segments"));
  const made = jsonCopy(field(booked, "segments"));
  const read = normalizeSegments(made);
  // With a field that is missing it reads otherwise. A code in another format can still be compared.
  const areRead = quoted.length > 0 && read.length > 0 && JSON.stringify(read) === JSON.stringify(made);
  const [before, after] = areRead ? [quoted, read] : [[], []];
  const { flights, terms } = compareFlights(before, after);
  const sent = elementsOf(passengers);
  const people = comparePassengers(sent, field(booked, "passengers"));
  const price = comparePrice(offer, booked);
  const nonRefundable = readFlag(field(booked, "non_refundable"));
  const isRefundKnown = nonRefundable !== undefined && readFlag(field(offer, "refundable")) !== undefined;
  const isWhole = (flight: Segment) =>
    isNamed(flight) && ![flight.origin.departure_time, flight.destination.arrival_time].map(timeOrNull).includes(null);
  const areComplete = areRead && [...before, ...after].every(isWhole);
  const found = {
    // One that does not say which flight it is, is not called another.
    flights: flights.filter(({ kind, quoted, booked }) => kind !== "replaced" || (isNamed(quoted) && isNamed(booked))),
    terms: [...terms, ...(isRefundKnown ? compareTerms(["refundable"], offer, { refundable: !nonRefundable }) : [])],
    passengers: people ?? [],
    missingSeats: findMissingSeats(booked, sent),
    notCompared: [
      ...(price.difference === null ? (["price"] as const) : []),
      ...(areComplete ? [] : (["flights"] as const)),
      ...(isRefundKnown ? [] : (["refundable"] as const)),
      ...(people === null ? (["passengers"] as const) : []),
    ],
  };
  const timeFlagged = readFlag(field(booked, "time_changed")) === true;
  const isOtherPrice = price.flagged || (price.difference !== null && price.difference.amount !== "0");
  const changed = isOtherPrice || timeFlagged || Object.values(found).flat().length > 0;
  const changes = { changed, price, timeFlagged, ...found };
  return { ...changes, summary: summarizeChanges(changes, before) };
}

function isNamed(segment: Segment | undefined): boolean {
  return segment !== undefined && !identity(segment).split(",").includes("");
}

function comparePrice(offer: FareQuoteResult, booked: unknown): PriceChange {
  const [shown, fare] = [field(offer, "fare"), field(booked, "fare")];
  const amount = (name: keyof BookedFare) => readMoney(field(fare, name), field(fare, "currency"));
  const [base, taxes] = [amount("basefare"), amount("tax_and_surcharges")];
  const own = [base ?? [], taxes ?? []].flat();
  const charges = extraFares.flatMap((name) => amount(name) ?? []);
  const quoted = readMoney(field(shown, "total_fare"), field(shown, "currency"));
  const isLeftOut = (field(fare, "total_fare") ?? "") === "" && own.length === 2;
  const stated = isLeftOut ? sumMoney(own) : amount("total_fare");
  // As in a quote, with the parts that can be read.
  const parts = { basefare: base?.amount, tax_and_surcharges: taxes?.amount };
  const total = stated && priceOf({ fare: { ...parts, total_fare: stated.amount, currency: stated.currency } });
  const extras = sumMoney(charges);
  const sum = sumMoney([...own, ...charges]);
  // The document does not say that the total includes the extras. They are subtracted only if the parts add up with
  // them.
  const withoutExtras = extras && total && sum && isSame(sum, total) ? sumMoney(own) : total;
  const isKept = withoutExtras && quoted && isSame(withoutExtras, quoted);
  return {
    quoted,
    booked: total,
    extras,
    difference: withoutExtras && quoted && subtractMoney(isKept ? quoted : withoutExtras, quoted),
    flagged: readFlag(field(booked, "price_changed")) === true,
  };
}

/** Whether amounts differ by no more than sums of floats do. */
function isSame(a: Money, b: Money): boolean {
  return Math.abs(Number(subtractMoney(a, b)?.amount ?? Number.NaN)) < 1e-6;
}

/**
 * Compares flights one by one, in their order, and the terms of those that are the same. A flight without a name is not
 * the same as one with it.
 */
function compareFlights(before: readonly Segment[], after: readonly Segment[]) {
  const flights: FlightChange[] = [];
  const terms: TermChange[] = [];
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    const [quoted, booked] = [before[index], after[index]];
    const both = { index, ...(quoted && { quoted }), ...(booked && { booked }) };
    if (quoted === undefined) flights.push({ kind: "added", ...both });
    else if (booked === undefined) flights.push({ kind: "missing", ...both });
    else if (identity(quoted) !== identity(booked)) flights.push({ kind: "replaced", ...both });
    else {
      const departureMinutes = minutesLater(quoted.origin.departure_time, booked.origin.departure_time);
      const arrivalMinutes = minutesLater(quoted.destination.arrival_time, booked.destination.arrival_time);
      if (departureMinutes !== 0 || arrivalMinutes !== 0)
        flights.push({ kind: "time", ...both, departureMinutes, arrivalMinutes });
      terms.push(...compareTerms(["baggage", "fareClass", "cabin"], quoted, booked, index));
    }
    if (booked && !isConfirmed(booked.flight_status) && quoted?.flight_status !== booked.flight_status)
      flights.push({ kind: "notConfirmed", ...both });
  }
  return { flights, terms };
}

function minutesLater(before: string, after: string): number | null {
  return before === after ? 0 : minutesBetween(before, after);
}

function findMissingSeats(booked: unknown, passengers: readonly unknown[]): MissingSeat[] {
  const noneBooked = readFlag(field(booked, "seats_booked")) === false;
  // A route may be flown twice.
  const assigned = Map.groupBy(seatsOf(elementsOf(field(booked, "passengers"))), seatKey);
  return seatsOf(passengers).filter((seat) => noneBooked || assigned.get(seatKey(seat))?.pop() === undefined);
}

function seatsOf(people: readonly unknown[]): MissingSeat[] {
  return people.flatMap((one, passenger) =>
    elementsOf(field(one, "seat")).map((seat) => {
      const part = (name: keyof MissingSeat) => textOf(field(seat, name));
      return { code: part("code"), origin: part("origin"), destination: part("destination"), passenger };
    }),
  );
}

function seatKey({ code, origin, destination }: MissingSeat): string {
  return [code, origin, destination].map(codeOf).join();
}

const personal = ["fname", "lname", "dob", "passenger_type", "gender", "title"] as const;

/** More than any booking has. Each is compared with each. */
const maxPassengers = 99;

/**
 * Compares the passengers of the request with those of the booking, in any order; null if the booking has no names. Those
 * who are booked exactly as sent come first, so that of two namesakes each finds their own.
 */
function comparePassengers(sent: readonly unknown[], booked: unknown): PassengerChange[] | null {
  if (!Array.isArray(booked) || Math.max(sent.length, booked.length) > maxPassengers) return null;
  const open = new Map(elementsOf(booked).map(readPerson).entries());
  for (const other of open.values()) if (nameOf(other) === "") return null;
  const people = [...sent.map(readPerson).entries()];
  const others = people.filter(([, one]) => {
    const same = [...open].find(([, other]) => differences(one, other).length === 0);
    return same === undefined || !open.delete(same[0]);
  });
  const changes = others.map(([passenger, one]): PassengerChange => {
    const [place, other] = [...open].find(([, candidate]) => nameOf(candidate) === nameOf(one)) ?? [];
    if (place === undefined || other === undefined) return { kind: "missing", passenger };
    open.delete(place);
    return { kind: "changed", passenger, booked: place, fields: differences(one, other) };
  });
  return [...changes, ...[...open.keys()].map((place): PassengerChange => ({ kind: "added", booked: place }))];
}

/** The fields of a passenger in the order of `personal`, as they are compared; empty for each that is missing. */
type Person = readonly string[];

function readPerson(passenger: unknown): Person {
  return personal.map((name) => {
    const value = stringOf(field(passenger, name));
    return name === "dob" ? dayOf(value) || value.trim() : lettersOf(value);
  });
}

function differences(sent: Person, booked: Person): string[] {
  return personal.filter((_, i) => booked[i] !== "" && sent[i] !== booked[i]);
}

function nameOf([fname = "", lname = ""]: Person): string {
  return fname + lname;
}

/** Returns the identity of a flight, without its times: `AI 101` and `ai 101` are one. */
function identity({ airline_code, flight_number, origin, destination }: Segment): string {
  return [airline_code, flight_number, origin.airport_code, destination.airport_code].map(codeOf).join();
}

const ofOffer = ["refundable", "fareType", "meal", "airline", "validatingAirline", "source", "carrierType"] as const;

/**
 * Compares two quotes of an offer, of which the second is what is booked: flights, then the terms of each flight, then
 * those of the whole offer. What only one of them says of a flight is a difference.
 */
export function compareOffers(agreed: FareQuoteResult, current: FareQuoteResult) {
  const { flights, terms } = compareFlights(normalizeSegments(agreed.segments), normalizeSegments(current.segments));
  const charges = compareCharges(chargesOf(agreed), chargesOf(current));
  return { flights, terms: [...terms, ...compareTerms(ofOffer, agreed, current), ...charges] };
}

function compareTerms(
  kinds: readonly TermChange["kind"][],
  quoted: unknown,
  other: unknown,
  index?: number,
): TermChange[] {
  const found: TermChange[] = [];
  for (const kind of kinds) {
    const { in: paths = [], yesOrNo, missing }: Term = terms[kind];
    for (const path of paths) {
      const [before, after] = [readTerm(quoted, path, yesOrNo), readTerm(other, path, yesOrNo)];
      const isSaid = (before !== "" || missing === "either") && (after !== "" || missing !== undefined);
      if (!isSaid || comparable(before) === comparable(after)) continue;
      found.push({ kind, ...(index !== undefined && { index }), before, after });
    }
  }
  return found;
}

function readTerm(holder: unknown, path: string, yesOrNo?: readonly [yes: string, no: string]): string {
  const value = path.split(".").reduce(field, holder);
  if (yesOrNo === undefined) return stringOf(value).trim();
  const flag = readFlag(value);
  return flag === undefined ? "" : yesOrNo[flag ? 0 : 1];
}

/** `15 KG`, `15kg` and `15 Kilograms` are one allowance. */
function comparable(term: string): string {
  return (
    term
      .toLowerCase()
      // A point within a number counts.
      .replaceAll(/(?!(?<=\d)\.\d)[^\p{L}\p{M}\p{N}+]/gu, "")
      .replaceAll(/kgs|kilo(?:gram(?:me)?)?s?/g, "kg")
  );
}

const columns = ["journey_points", "type", "from", "to", "unit", "charges"] as const;

/**
 * The rows of `mini_fare_rules`, which have been seen nested, as `DEL-BOM Cancellation 24 – HOURS INR 3500`, by what two
 * spellings of one have in common: `INR 3,500.00` and `inr 3500` are one charge, `IDR 350.000` and `IDR 350` are not.
 */
function chargesOf({ mini_fare_rules }: FareQuoteResult): ReadonlyMap<string, string> {
  const rows = new Map<string, string>();
  for (const row of elementsOf(mini_fare_rules).flat(2)) {
    const cells = columns.map((column) => trimmedScalar(field(row, column)));
    const plain = cells.map((cell) => cell.toLowerCase().replaceAll(/[\s,]|\.00?$/g, ""));
    rows.set(JSON.stringify(plain), cells.map((cell) => cell || "–").join(" "));
  }
  return rows;
}

/** The rows that only one of the two has, whatever their order. */
function compareCharges(quoted: ReadonlyMap<string, string>, fresh: ReadonlyMap<string, string>): TermChange[] {
  const only = (rows: typeof quoted, others: typeof quoted) =>
    [...rows].flatMap(([key, words]) => (others.has(key) ? [] : words)).join("; ");
  const [before, after] = [only(quoted, fresh), only(fresh, quoted)];
  return quoted.size === 0 || fresh.size === 0 || (before === "" && after === "")
    ? []
    : [{ kind: "charges", before, after }];
}
