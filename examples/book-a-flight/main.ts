/**
 * Takes a flight from a search to a PNR, at the terminal: the quote as a table, the fees, passengers with what is wrong
 * told as it is typed, a price that changes in between, and what must follow.
 *
 *   npx tsx examples/book-a-flight/main.ts                            against an emulator in this process
 *   … --search international-roundtrip-family --price-change          another trip, dearer by the time it is booked
 *   … --passengers passengers.json --yes < /dev/null                  without questions
 *   SERVICEAPI_BASE_URL=… TRACE_ID=… TOKEN=… npx tsx …                against the service itself
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Passenger } from "serviceapi/flights";
import { bookAFlight } from "./program.ts";
import { openTerminal } from "./terminal.ts";

const { values: flags } = parseArgs({
  options: {
    search: { type: "string" },
    passengers: { type: "string" },
    "price-change": { type: "boolean", default: false },
    yes: { type: "boolean", default: false },
  },
});

using terminal = openTerminal(process.stdin, process.stdout, flags.yes);
// The checkout checks what is in the file, field by field.
const given: readonly Passenger[] | undefined = flags.passengers && JSON.parse(readFileSync(flags.passengers, "utf8"));

process.exitCode = await bookAFlight(terminal, {
  search: flags.search,
  passengers: given,
  priceChange: flags["price-change"],
});
