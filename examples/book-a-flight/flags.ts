import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Passenger } from "serviceapi/flights";
import { type Settled, searches } from "./program.ts";
import { UserError } from "./user-error.ts";

export const usage = `Takes a flight from a search to a PNR. What no option settles is asked.

Usage: npx tsx examples/book-a-flight/main.ts [options]

  --search <name>      which search of the emulator:
                         ${searches.join("\n                         ")}
  --passengers <file>  a JSON list of passengers, such as examples/book-a-flight/passengers.json
  --price-change       the emulator makes the offer dearer before it is booked
  --yes                answers every question for a yes or no with yes
  --help               shows this

It talks to an emulator of its own, or to the service that SERVICEAPI_BASE_URL, SERVICEAPI_CLIENT_ID,
SERVICEAPI_CLIENT_SECRET, TRACE_ID and TOKEN name.

Exit code: 0 booked, 1 not booked, 2 nobody knows.`;

interface Flags extends Settled {
  readonly help: boolean;
  readonly yes: boolean;
}

/** @throws UserError for an option, a search or a file that there is not. */
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
    throw new UserError(`${error.message.split("\n")[0]} (--help shows what there is)`);
  }
}

function readSearch(name: string): (typeof searches)[number] {
  const found = searches.find((search) => search === name);
  if (found === undefined) throw new UserError(`There is no search "${name}". Known are ${searches.join(", ")}.`);
  return found;
}

/** A list; the checkout checks what is in it, field by field. */
function readPassengers(file: string): readonly Passenger[] {
  const passengers = parseJson(file, readText(file));
  if (Array.isArray(passengers) && passengers.every((one) => typeof one === "object" && one !== null)) {
    return passengers;
  }
  throw new UserError(`${file} is no list of passengers: examples/book-a-flight/passengers.json is one.`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${Object(error).code}`);
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UserError(`${file} is not JSON.`);
  }
}
