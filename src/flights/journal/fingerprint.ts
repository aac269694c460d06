import { soundSegments } from "../sound.ts";
import type { FareQuoteResult, Passenger } from "../types.ts";

/**
 * A hash over who flies and on which flights, which finds the same journey after another search: 32 bits of SHA-256. Many people
 * share each value, so it cannot be turned back into a name; who already suspects a name can check the guess.
 *
 * @returns Eight hex digits; empty if the quote does not name its flights and their times.
 */
export async function fingerprintOf(offer: FareQuoteResult, passengers: readonly Passenger[]): Promise<string> {
  const flights = soundSegments(offer.segments).map(({ airline_code, flight_number, origin, destination }) => [
    airline_code.trim(),
    flight_number.trim(),
    origin.airport_code.trim(),
    destination.airport_code.trim(),
    origin.departure_time.trim(),
  ]);
  if (flights.length === 0 || flights.flat().includes("")) return "";
  const people = passengers.map(({ fname, lname, dob }) => [letters(fname), letters(lname), String(dob)].join(" "));
  const bytes = new TextEncoder().encode(JSON.stringify([flights, people.sort()]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...hash.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** `José-María` and `JOSE MARIA` are one name. */
function letters(name: unknown): string {
  return String(name)
    .normalize("NFKD")
    .toUpperCase()
    .replaceAll(/[^\p{L}]/gu, "");
}
