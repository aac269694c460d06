import { toHex } from "../../shared/bytes.ts";
import { elementsOf, field, trimmedScalar } from "../../shared/json.ts";
import { capitals } from "../../shared/names.ts";
import { sha256 } from "../../shared/sha256.ts";
import { normalizeSegments } from "../quote/normalize.ts";
import { timeOrNull } from "../quote/times.ts";
import type { FareQuoteResult, Segment } from "../types/index.ts";

/**
 * Returns a fingerprint of flights and passengers, which finds the same journey after another search: 128 bits of
 * SHA-256 over the flights, then 32 bits over flights and people. Two parties can be taken for one only on the very
 * same flights. Many people share each value of the second part, so it cannot be turned back into a name; a guessed
 * name can be checked.
 *
 * @param people - The passengers that are sent.
 * @returns `<32 hex digits>.<8 hex digits>`; empty if flights, their times or a name cannot be read.
 */
export async function fingerprintOf(offer: FareQuoteResult, people: unknown): Promise<string> {
  const flights = flightsOf(offer);
  const names = elementsOf(people).map(personOf);
  if (flights.length === 0 || names.length === 0 || names.includes("")) return "";
  return `${await digest(flights, 16)}.${await digest([flights, names.sort()], 4)}`;
}

/** Each flight with its departure, in one spelling; empty if one of them cannot be read. */
function flightsOf(offer: FareQuoteResult): string[] {
  const flights = normalizeSegments(offer.segments).map((segment) => [
    ...flightParts(segment),
    departureOf(segment.origin.departure_time),
  ]);
  return flights.flat().includes("") ? [] : flights.map((parts) => parts.join()).sort();
}

/** Airline, number, origin and destination of a flight, in one spelling; empty strings for missing fields. */
function flightParts({ airline_code, flight_number, origin, destination }: Segment): string[] {
  const airline = code(airline_code);
  return [airline, numberOf(airline, code(flight_number)), code(origin.airport_code), code(destination.airport_code)];
}

function code(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** `6E302`, `0302` and `302` are one flight of `6E`. */
function numberOf(airline: string, number: string): string {
  const rest = airline !== "" && number.startsWith(airline) ? number.slice(airline.length) : "";
  return (/^\d/.test(rest) ? rest : number).replace(/^0+(?=\d)/, "");
}

/** The time on the clock of the airport: an offset from UTC says nothing more. */
function departureOf(text: string): string {
  const time = text.trim().replace(/(:\d{2}(?:\.\d+)?)\s*(?:Z|[+-]\d{2}:?\d{2})$/i, "$1");
  return timeOrNull(time)?.replace(" ", "T") ?? "";
}

function personOf(passenger: unknown): string {
  const words = wordsOf(`${trimmedScalar(field(passenger, "fname"))} ${trimmedScalar(field(passenger, "lname"))}`);
  const dob = trimmedScalar(field(passenger, "dob"));
  return words === "" ? "" : `${words} ${timeOrNull(dob)?.slice(0, 10) ?? dob}`;
}

/** A name in one spelling, wherever it is split in two: `José-María` `O'Brien` and `JOSE` `MARIA OBRIEN` are one. */
function wordsOf(name: string): string {
  return capitals(name)
    .replaceAll(/['’ʼ`]/g, "")
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .sort()
    .join("");
}

async function digest(value: unknown, bytes: number): Promise<string> {
  const hash = await sha256(JSON.stringify(value));
  return toHex(hash.subarray(0, bytes));
}
