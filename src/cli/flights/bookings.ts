import type { Command } from "commander";
import { readClientOptions } from "../shared/client.ts";
import { declareCommand, option } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { printNote, printResult } from "../shared/print.ts";
import { journalHelp, openJournal, placeOptions, reconcileOptions } from "./journal.ts";

const addList = declareCommand("bookings", {
  description: "list the bookings whose outcome is open, from the journal; sends nothing",
  options: [
    option("--reference <text>", "every attempt with this client_referenceId, closed ones too"),
    ...placeOptions,
  ],
  examples: `
  $ npx serviceapi bookings
  $ npx serviceapi bookings --reference order-17  # closed attempts too
  $ npx serviceapi bookings reconcile order-17 --booked ABC123
  $ npx serviceapi bookings reconcile order-17 --not-booked
`,
  lists: [journalHelp],
  async run(flags) {
    const { baseUrl } = await readClientOptions(flags);
    const { path, journal, flags: place } = await openJournal(flags, baseUrl, { create: false });
    const { describeRow, formatBookings } = await import("./show/bookings.ts");
    const { reference } = flags;
    const rows = reference === undefined ? await journal.pending() : await journal.find(reference);
    const data = { journal: path, bookings: rows.map(describeRow) };
    printResult(flags, data, () => formatBookings(rows, place, reference));
    if (!flags.json) printNote(`Journal: ${path}`);
    return reference !== undefined && rows.length === 0 ? exitCodes.notFound : exitCodes.done;
  },
});

const addReconcile = declareCommand("reconcile", {
  description: "close an open booking with the result of a look-up; sends nothing",
  args: { "<reference>": "client_referenceId of the booking" },
  options: reconcileOptions,
  unused: ({ notBooked }) => [
    notBooked ? ["with --not-booked", "replaces", "sharedWith"] : ["without --not-booked", "force"],
  ],
  run: async (flags, [reference = ""]) => (await import("./reconcile.ts")).closeBooking(reference, flags),
});

export const addBookings = (program: Command) => addReconcile(addList(program));
