/**
 * Books a flight at the terminal, from a search to a PNR: shows the quote and the fees, checks the passengers as they
 * are typed, handles a price that changes in between, and says what to do next.
 *
 *   npx tsx examples/book-a-flight/main.ts                            against an emulator in this process
 *   … --search international-roundtrip-family --price-change another trip, at a higher price by the time it is booked …
 *   --passengers examples/book-a-flight/passengers.json --yes with the passengers of a file … --help every option
 *   SERVICEAPI_BASE_URL=… TRACE_ID=… TOKEN=… npx tsx … against the service itself
 */
import { ServiceApiError } from "serviceapi";
import { readFlags, usage } from "./flags.ts";
import { bookAFlight } from "./program.ts";
import { openTerminal } from "./terminal.ts";
import { UserError } from "./user-error.ts";

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { help, yes, ...settled } = readFlags(args);
    if (help) {
      console.log(usage);
      return 0;
    }
    using terminal = openTerminal(process.stdin, process.stdout, yes);
    return await bookAFlight(terminal, settled);
  } catch (error) {
    if (!(error instanceof UserError) && !ServiceApiError.isInstance(error)) throw error;
    console.error(`error: ${error.message}`);
    return 1;
  }
}
