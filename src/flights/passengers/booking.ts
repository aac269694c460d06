import { elementsOf, field, isObjectOrList, stringOf, trimmedScalar } from "../../shared/json.ts";
import { bareName, isPlaceholder } from "../../shared/names.ts";
import { directionsOf, maxFlights, runsBetween } from "../quote/itinerary.ts";
import { codeOf, countByType, isConfirmed } from "../quote/normalize.ts";
import { dayOf, instantOf, parseWallClock } from "../quote/times.ts";
import { needFlags } from "../schemas.ts";
import type { Segment } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { isBlank } from "./fields.ts";
import { passengerTypes } from "./issues.ts";

/** Checks the number of passengers and the lead (docs/assumptions.md, F8 and F9), and looks for one who is there twice. */
export function checkCounts(context: CheckContext): void {
  const { passengers, types, limits, report } = context;
  if (passengers.length === 0) {
    report("no_passengers", ["passengers"]);
    return;
  }
  const { maxPassengers } = limits;
  if (passengers.length > maxPassengers) report("too_many_passengers", ["passengers"], { values: { maxPassengers } });
  const counts = countByType(types.map((type) => ({ passenger_type: type })));
  if ((counts.infant ?? 0) > (counts.adult ?? 0)) report("infants_exceed_adults", ["passengers"]);
  if (types[0] !== "adult") report("lead_not_adult", ["passengers", 0, "passenger_type"]);
  compareWithQuote(counts, context);
  const seen = new Set<string>();
  for (const [i, { fname, lname, dob }] of passengers.entries()) {
    const who = [fname, lname, dob].map((value) => codeOf(value).replaceAll(/\s+/g, " ")).join("|");
    if (seen.has(who) && who !== "||") report("passenger_repeated", ["passengers", i]);
    seen.add(who);
  }
}

/** Compares the number of passengers of each type with the quote. An unknown type may stand for any of the known ones. */
function compareWithQuote(counts: Readonly<Record<string, number>>, { offer, report }: CheckContext): void {
  const breakdown = ["offer", "fare_breakdown"];
  const { quotedCounts } = offer;
  if (quotedCounts === null) report("quote_counts_unreadable", breakdown);
  if (quotedCounts === null || Object.keys(quotedCounts).length === 0) return;
  const types = [...new Set([...Object.keys(quotedCounts), ...Object.keys(counts)])];
  const rows = types.map((type) => ({ type, quoted: quotedCounts[type] ?? 0, given: counts[type] ?? 0 }));
  let tooMany = 0;
  let tooFew = 0;
  for (const { type, quoted, given } of rows) {
    const isKnown = passengerTypes.includes(type);
    tooMany += isKnown ? Math.max(0, given - quoted) : -quoted;
    tooFew += isKnown ? Math.max(0, quoted - given) : -given;
    if (!isKnown && quoted > 0) report("quote_type_unknown", breakdown);
  }
  const isFilled = tooMany <= 0 && tooFew <= 0;
  // Types that are not known may stand for some that are, but nobody pays for more people than travel.
  if (isFilled && tooMany === tooFew) return;
  for (const { type, quoted, given } of rows) {
    if (quoted === given || (!isFilled && !passengerTypes.includes(type))) continue;
    const words = { are: given === 1 ? "is" : "are" };
    report("count_differs_from_quote", ["passengers"], { words, values: { type: type || "unknown", quoted, given } });
  }
}

const documents = [
  ["passport_required_at_book", /passport/],
  ["passport_required_at_ticket", /passport/],
  ["pan_required_at_book", /pan|permanentaccount/],
  ["pan_required_at_ticket", /pan|permanentaccount/],
] as const;

/**
 * Checks passport and PAN, and that no passport expires before the end of the trip: it is valid on its last day. The
 * document has flags for them but no fields: `extraBody` may contain them.
 */
export function checkDocuments({ offer, passengers, extraBody, endDay, report }: CheckContext): void {
  const rows = elementsOf(field(extraBody, "passengers"));
  for (const [flag, document] of documents) {
    if (!offer[flag]) continue;
    const isIn = (holder: unknown) => [...valuesUnder(document, holder)].some(isNumber);
    // At the root, or for every passenger.
    const lacking = isIn(extraBody) ? [] : [...passengers.keys()].filter((i) => !isIn(rows[i]));
    if (lacking.length === 0) continue;
    const paths = lacking.length === passengers.length ? [["offer", flag]] : lacking.map((i) => ["passengers", i]);
    const developerMessage =
      "The service documents no field for this. Ask the service operator for its name and send it in `extraBody`.";
    for (const path of paths) report(flag, path, { developerMessage });
  }
  for (const [i, holder] of [extraBody, ...rows].entries()) {
    for (const { names, text } of valuesUnder(/passport/, holder)) {
      const lastDay = dayOf(text);
      const isLastDay = /expir|valid(?!.*from)/i.test(names.at(-1) ?? "") && text !== "";
      if (endDay === undefined || !isLastDay || lastDay >= endDay) continue;
      const path = ["extraBody", ...(i > 0 ? ["passengers", i - 1] : []), ...names];
      report(lastDay === "" ? "passport_expiry_unreadable" : "passport_expires", path);
    }
  }
}

/** A value under the names of the fields that it is in, from that of the document on. */
type Named = { readonly names: readonly string[]; readonly text: string };

/** Yields the values under the name of a document, at any depth that makes sense: one that contains itself has no end. */
function* valuesUnder(document: RegExp, holder: unknown, outer: readonly string[] = []): Generator<Named> {
  for (const [name, value] of isObjectOrList(holder) && outer.length < 4 ? Object.entries(holder) : []) {
    const names = [...outer, name];
    if (!document.test(bareName(names[0] ?? ""))) continue;
    yield { names, text: trimmedScalar(value) };
    yield* valuesUnder(document, value, names);
  }
}

/** The words for the number of a document. With any other, such as a holder, a date or a country, a field is not one. */
const words =
  /passport|pan|permanentaccount|n(?:umber|um|o|r)|id|card|doc(?:ument)?|details?|info|value|lead|primary|adult|child|infant|passenger|pax|travell?er|[\d.]+/g;

/** Returns whether a value may be a number under such a name: `true` and "see mail" are not. */
function isNumber({ names, text }: Named): boolean {
  const isNamed = names.every((name) => bareName(name).replaceAll(words, "") === "");
  return isNamed && !isPlaceholder(text) && (/\d{6}/.test(text) || !/\p{L}{2}\s+\p{L}{2}/u.test(text));
}

/**
 * Checks seats, baggage and meals: each is on a leg of the itinerary, none twice, none for an infant but meals
 * (docs/assumptions.md, F21).
 */
export function checkServices({ passengers, types, offer, report }: CheckContext): void {
  const kinds = ["seat", "baggage", "meal"] as const;
  const filled = passengers
    .flatMap((one, i) => kinds.map((kind) => ({ i, kind, choices: elementsOf(one[kind]) })))
    .filter(({ choices }) => choices.length > 0);
  if (filled.length === 0) return;
  if (offer.hold_mandatory_with_ssr) report("hold_mandatory_with_ssr", ["offer", "hold_mandatory_with_ssr"]);
  const directions = directionsOf(offer.segments.slice(0, maxFlights));
  const flights = directions.flat();
  const taken = new Set<string>();
  for (const { i, kind, choices } of filled) {
    const path = ["passengers", i, kind];
    if (types[i] === "infant" && kind !== "meal") report("service_for_infant", path, { words: { kind } });
    const used = new Set<Segment>();
    // What is no entry keeps its place, so that paths stay true; the schema's own issue says what is wrong with it.
    for (const [j, choice] of choices.entries()) {
      const [code, ...ends] = ["code", "origin", "destination"].map((name) => codeOf(field(choice, name)));
      const ways = [...runsBetween(directions, ends, ({ airport_code }) => [codeOf(airport_code)])];
      // Nobody sits on one seat through a change of aircraft; baggage and meals are sold for a flight or for a whole
      // direction.
      const runs = kind === "seat" ? ways.filter((run) => run.length === 1) : ways;
      const free = runs.find((run) => !run.some((flight) => used.has(flight)));
      for (const flight of free ?? []) {
        used.add(flight);
        if (kind !== "seat") continue;
        // By the flight: a route may be flown twice.
        const seat = `${flights.indexOf(flight)} ${code}`;
        if (taken.has(seat)) report("seat_taken_twice", [...path, j]);
        taken.add(seat);
      }
      if (runs.length === 0) {
        report("service_unknown_leg", [...path, j], { words: { part: kind === "seat" ? "flight" : "leg" } });
      } else if (free === undefined) report("service_repeated_leg", [...path, j]);
    }
  }
}

/** Checks the quote itself: unreadable flags, flights that are not confirmed or have left, a passed ticket deadline. */
export function checkOffer({ offer, now, deadlineZone, report }: CheckContext): void {
  for (const flag of needFlags) if (offer[flag] === undefined) report("quote_flag_unreadable", ["offer", flag]);
  for (const [i, { flight_status }] of offer.segments.entries()) {
    if (!isConfirmed(flight_status)) report("segment_not_confirmed", ["offer", "segments", i, "flight_status"]);
  }
  const left = now === undefined ? -1 : offer.segments.findIndex((one) => (latestDeparture(one) ?? now) < now);
  if (left >= 0) report("flight_departed", ["offer", "segments", left, "origin", "departure_time"]);
  const { last_ticket_date } = offer;
  const deadline = instantOf(last_ticket_date, deadlineZone);
  // A date of the years 0 and 1 does not apply (docs/assumptions.md, F3).
  if (deadline === null && !isBlank(last_ticket_date) && !/^\s*000[01]-/.test(stringOf(last_ticket_date))) {
    report("ticket_deadline_unreadable", ["offer", "last_ticket_date"]);
  }
  if (now !== undefined && deadline !== null && deadline <= now) {
    report("ticket_deadline_passed", ["offer", "last_ticket_date"]);
  }
}

const hour = 3_600_000;

/**
 * The instant by which a flight has left for certain. India has one time zone, five and a half hours ahead of UTC;
 * elsewhere the clock of the airport may be up to twelve hours behind it.
 */
function latestDeparture({ origin }: Segment): number | null {
  const departure = parseWallClock(origin.departure_time);
  if (departure === null) return null;
  return departure + (codeOf(origin.country_code) === "IN" ? -5.5 : 12) * hour;
}
