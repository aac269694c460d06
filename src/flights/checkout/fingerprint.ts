import { toHex } from "../../shared/bytes.ts";
import { elementsOf, field, trimmedScalar } from "../../shared/json.ts";
import { capitals } from "../../shared/names.ts";
import { sha256 } from "../../shared/sha256.ts";
import { normalizeSegments } from "../quote/normalize.ts";
import { dayOf, timeOrNull } from "../quote/times.ts";
import type { FareQuote, FareQuoteResult, Segment } from "../types/index.ts";

/**
 * Returns a fingerprint of flights and passengers, which finds the same journey after another search: 128 bits of
 * SHA-256 over the flights, then 32 bits over flights and people. Two parties can be taken for one only on the very
 * same flights. Many people share each value of the second part, so one alone cannot be turned back into a name; a
 * guessed name can be checked.
 *
 * @param people - The passengers that are sent.
 * @returns `<32 hex digits>.<8 hex digits>`; empty if flights, their times or a name cannot be read.
 */
export async function fingerprintOf(offer: FareQuoteResult, people: unknown): Promise<string> {
  const flights = normalizeSegments(offer.segments).map(partsOf);
  const names = elementsOf(people).map(personOf);
  if (flights.length === 0 || names.length === 0 || [...flights.flat(), ...names].includes("")) return "";
  const journey = flights.map(String).sort();
  return `${await digest(journey, 16)}.${await digest([journey, names.sort()], 4)}`;
}

/**
 * Returns the names of the offers of a quote ({@link JournalRow.offers}). A time may change from quote to quote, a day rarely
 * does. Of flights that cannot be read the token is hashed. Of two without a difference, the one that is left in a later quote
 * may be either.
 */
export async function nameOffers({ data }: FareQuote): Promise<readonly string[]> {
  const offers = await Promise.all(data.result.map(readOffer));
  const unread = new Set(offers.filter(({ isRead }) => !isRead).map(({ route }) => route));
  const counts = new Map<string, number>();
  for (const { flights, days } of offers)
    for (const key of [flights, `${flights}@${days}`]) counts.set(key, (counts.get(key) ?? 0) + 1);
  return offers.map(({ flights, days, times, route, isRead }) => {
    const isAlone = counts.get(flights) === 1;
    const isOne = isAlone || (!counts.has(`${flights}@`) && counts.get(`${flights}@${days}`) === 1);
    const mayBe = isRead && (unread.has("") || unread.has(route));
    // Of the same flights on several days, one that was moved over midnight would pass for another.
    return `${flights}${mayBe ? "?" : ""}${isOne ? `@${isAlone ? days : times}` : ""}`;
  });
}

/** Returns the flights of an offer, and whether they can be read: then its name is the same in each quote. */
export function readFlights({ segments }: Partial<Pick<FareQuoteResult, "segments">>) {
  const flights = normalizeSegments(segments).map(partsOf);
  return { flights, isRead: flights.length > 0 && !flights.flatMap((parts) => parts.slice(0, 4)).includes("") };
}

/** Returns the flights of an offer for a person to read ({@link JournalRow.flights}); none if one cannot be read. */
export function describeFlights(offer: Partial<FareQuoteResult>): readonly string[] {
  const { flights, isRead } = readFlights(offer);
  if (!isRead) return [];
  return flights.map(([airline, number, from, to, time = ""]) =>
    `${airline} ${number} ${from}-${to} ${time.slice(0, 16).replace("T", " ")}`.trim().slice(0, 80),
  );
}

async function readOffer(offer: FareQuoteResult) {
  const { flights: inOrder, isRead } = readFlights(offer);
  const flights = [...inOrder].sort();
  const times = flights.map((parts) => parts.at(4) ?? "");
  const days = times.map((time) => time.slice(0, 10));
  const ways = flights.map((parts) => parts.slice(2, 4)).sort();
  return {
    isRead,
    flights: await digest(isRead ? flights.map((parts) => parts.slice(0, 4).join()) : { token: offer.token }, 16),
    times: times.join(),
    days: days.includes("") ? "" : days.join(),
    route: ways.flat().includes("") ? "" : ways.join(),
  };
}

/** Returns a hash of an order and the people who travel, or nothing if a name cannot be read. */
export async function hashOrder(orderId: string, people: unknown): Promise<string | undefined> {
  const names = elementsOf(people).map(personOf);
  return names.includes("") ? undefined : digest([orderId, names.sort()], 4);
}

/** Airline, number, origin, destination and departure in one spelling; an empty string for what cannot be read. */
function partsOf({ airline_code, flight_number, origin, destination }: Segment): readonly string[] {
  const texts = [airline_code, flight_number, origin.airport_code, destination.airport_code];
  const [airline = "", number = "", from = "", to = ""] = texts.map((text) =>
    text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, ""),
  );
  // `6E302`, `0302` and `302` are one flight of `6E`.
  const rest = number.startsWith(airline) ? number.slice(airline.length) : "";
  const digits = (/^\d/.test(rest) ? rest : number).replace(/^0+(?=\d)/, "");
  // The time on the clock of the airport: an offset from UTC says nothing more.
  const time = origin.departure_time.trim().replace(/(:\d{2}(?:\.\d+)?)\s*(?:Z|[+-]\d{2}:?\d{2})$/i, "$1");
  return [airline, digits, from, to, timeOrNull(time)?.replace(" ", "T") ?? ""];
}

/**
 * The letters of a name, with their vowel signs, in an order that says nothing of how it is split: `Mary-Ann` `Van Dyk`
 * and `VANDYK` `MARYANN` are one. So are two who were born on one day and whose names have the same letters.
 */
function personOf(passenger: unknown): string {
  const [fname, lname, dob = ""] = ["fname", "lname", "dob"].map((name) => trimmedScalar(field(passenger, name)));
  const letters = capitals(`${fname} ${lname}`).match(/[\p{L}\p{N}]\p{M}*/gu) ?? [];
  return letters.length === 0 ? "" : `${letters.sort().join("")} ${dayOf(dob) || dob}`;
}

async function digest(value: unknown, bytes: number): Promise<string> {
  const hash = await sha256(JSON.stringify(value));
  return toHex(hash.subarray(0, bytes));
}
