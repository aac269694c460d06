import type { Command } from "commander";
import { action } from "../shared/action.ts";
import { type ClientFlags, readClientOptions } from "../shared/client.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { addJsonFlag } from "../shared/output-flags.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { refuseCredentials } from "../shared/read-flags.ts";
import { addJournalFlag, type JournalFlags, journalHelp, openJournal } from "./journal.ts";
import { registerReconcileCommand } from "./reconcile.ts";

interface BookingsFlags extends Pick<ClientFlags, "baseUrl" | "dotenv">, JournalFlags {
  readonly json?: boolean;
  readonly reference?: string;
}

const examples = `
  $ npx serviceapi bookings
  $ npx serviceapi bookings --reference order-17  # closed attempts too
  $ npx serviceapi bookings reconcile order-17 --booked ABC123
  $ npx serviceapi bookings reconcile order-17 --not-booked
`;

/** `serviceapi bookings`: what the journal knows of bookings whose outcome is open. Nothing is sent. */
export function registerBookingsCommands(program: Command): void {
  const bookings = program
    .command("bookings")
    .description("list the bookings whose outcome is open, from the journal; sends nothing")
    .option("--reference <text>", "every attempt with this client_referenceId, closed ones too");
  addPlaceFlags(bookings)
    .addHelpText("after", helpText(examples, [journalHelp]))
    .action(action(run));
  registerReconcileCommand(bookings, addPlaceFlags);
}

/** Adds the flags that say which journal it is, and how to print. */
function addPlaceFlags(command: Command): Command {
  command
    .option(
      "--base-url <url>",
      "base URL of the service whose journal it is (default: SERVICEAPI_BASE_URL)",
      refuseCredentials,
    )
    .option("--dotenv <file>", "read environment variables from a file first, such as .env");
  return addJsonFlag(addJournalFlag(command));
}

async function run(flags: BookingsFlags): Promise<ExitCode> {
  const { baseUrl } = await readClientOptions(flags);
  const opened = await openJournal(flags, baseUrl, { create: false });
  const { path, journal } = opened;
  const { describeRow, formatBookings } = await import("./show/bookings.ts");
  const { reference } = flags;
  const rows = reference === undefined ? await journal.pending() : await journal.find(reference);
  if (flags.json) printJson({ journal: path, bookings: rows.map((row) => describeRow(row)) });
  else {
    print(formatBookings(rows, opened.flags, reference));
    printNote(`Journal: ${path}`);
  }
  return reference !== undefined && rows.length === 0 ? exitCodes.notFound : exitCodes.done;
}
