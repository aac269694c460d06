import type { Command } from "commander";
import { readClientOptions } from "../shared/client.ts";
import { action, helpText } from "../shared/command.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { addOptions, type FlagsOf, option } from "../shared/options.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { journalHelp, openJournal, placeOptions, reconcileOptions } from "./journal.ts";

const examples = `
  $ npx serviceapi bookings
  $ npx serviceapi bookings --reference order-17  # closed attempts too
  $ npx serviceapi bookings reconcile order-17 --booked ABC123
  $ npx serviceapi bookings reconcile order-17 --not-booked
`;

const options = [
  option("--reference <text>", "every attempt with this client_referenceId, closed ones too"),
  ...placeOptions,
] as const;

/** `serviceapi bookings`: what the journal knows of bookings whose outcome is open, and how to close one. */
export function registerBookingsCommands(program: Command): void {
  const bookings = program
    .command("bookings")
    .description("list the bookings whose outcome is open, from the journal; sends nothing");
  addOptions(bookings, options)
    .addHelpText("after", helpText(examples, [journalHelp]))
    .action(action(run));
  const reconcile = bookings
    .command("reconcile")
    .description("close an open booking with the result of a look-up; sends nothing")
    .argument("<reference>", "client_referenceId of the booking");
  addOptions(reconcile, reconcileOptions).action(
    action(async (reference: string, _: unknown, command: Command) =>
      (await import("./reconcile.ts")).closeBooking(reference, command),
    ),
  );
}

async function run(flags: FlagsOf<typeof options>): Promise<ExitCode> {
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
