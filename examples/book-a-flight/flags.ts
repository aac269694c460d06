import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Passenger } from "serviceapi/flights";
import { type Settled, searches } from "./program.ts";
import { UserError } from "./user-error.ts";

export const usage = `Books a flight, from a search to a PNR. Asks for everything that the options do not set.

Usage: npx tsx examples/book-a-flight/main.ts [options]

  --search <name>      a search of the emulator:
                         ${searches.join("\n                         ")}
  --passengers <file>  a JSON list of passengers, such as examples/book-a-flight/passengers.json
  --price-change       the emulator raises the price before the booking
  --yes                answers every yes-or-no question with yes
  --help               prints this

It calls an emulator in its own process, or the service that SERVICEAPI_BASE_URL, SERVICEAPI_CLIENT_ID,
SERVICEAPI_CLIENT_SECRET, TRACE_ID and TOKEN name.

Exit code: 0 booked, 1 not booked, 2 unknown.`;

interface Flags extends Settled {
  readonly help: boolean;
  readonly yes: boolean;
}

/**
 * Reads the options.
 *
 * @throws UserError for an unknown option or search, and for a file that cannot be read.
 */
export function readFlags(args: readonly string[]): Flags {
  const { search, passengers, "price-change": priceChange, ...others } = parse(args);
  return {
    ...others,
    priceChange,
    search: search === undefined ? undefined : readSearch(search),
    passengers: passengers === undefined ? undefined : readPassengers(passengers),
  };
}

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        search: { type: "string" },
        passengers: { type: "string" },
        "price-change": { type: "boolean", default: false },
        yes: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    return values;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UserError(`${error.message.split("\n")[0]} (--help lists the options)`);
  }
}

function readSearch(name: string): (typeof searches)[number] {
  const found = searches.find((search) => search === name);
  if (found === undefined) throw new UserError(`Unknown search "${name}". Known are ${searches.join(", ")}.`);
  return found;
}

/** Reads a list of objects. The checkout checks their fields. */
function readPassengers(file: string): readonly Passenger[] {
  const passengers = parseJson(file, readText(file));
  if (Array.isArray(passengers) && passengers.every((one) => typeof one === "object" && one !== null)) {
    return passengers;
  }
  throw new UserError(`${file} is not a list of passengers. See examples/book-a-flight/passengers.json.`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${file} could not be read: ${Object(error).code}`);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(`${file} is not JSON.`);
  }
}
