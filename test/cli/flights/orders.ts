import { readFileSync } from "node:fs";
import { passenger } from "../../support/passenger.ts";
import type { Station } from "./support.ts";

/** The arguments of a booking at 7,480 rupees, which is the price. */
export function order(station: Station, fields: Readonly<Record<string, unknown>> = {}): string[] {
  const file = station.write("passengers.json", [passenger(fields)]);
  return ["book", ...station.search, "--passengers", file, "--max-total", "7480", "INR"];
}

/** The journal of a station, by the port of its base URL. */
export function journalOf({ folder, url }: Station): string {
  return `${folder}/serviceapi/bookings/localhost_${new URL(url).port}.jsonl`;
}

/** The rows of the journal of a station. */
export const rowsOf = (station: Station) =>
  readFileSync(journalOf(station), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
