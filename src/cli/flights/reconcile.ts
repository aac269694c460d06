import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { BookingInFlightError } from "../../flights/errors.ts";
import type { BookingJournal, JournalRow } from "../../flights/journal/journal.ts";
import type { LookupResult } from "../../flights/journal/reconcile.ts";
import { action } from "../shared/action.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { type ClientFlags, readClientOptions } from "../shared/client.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { refuseUnused } from "../shared/read-flags.ts";
import { readJsonFlag } from "../shared/read-input.ts";
import { reportError } from "../shared/report-error.ts";
import { type JournalFlags, openJournal } from "./journal.ts";
import { formatWait } from "./show/duration.ts";

interface ReconcileFlags extends Pick<ClientFlags, "baseUrl" | "dotenv">, JournalFlags {
  readonly json?: boolean;
  readonly booked?: string;
  readonly bookingId?: string;
  readonly notBooked?: boolean;
  readonly force?: boolean;
}

/** `serviceapi bookings reconcile`: closes a booking with the result of a look-up. Nothing is sent. */
export function registerReconcileCommand(bookings: Command, addPlaceFlags: (command: Command) => Command): void {
  const reconcile = bookings
    .command("reconcile")
    .description("close an open booking with the result of a look-up; sends nothing")
    .argument("<reference>", "client_referenceId of the booking")
    .option("--booked <pnr>", "PNR of the booking that was found, or a .json file with it, or - for standard input")
    .option("--booking-id <id>", "booking ID of the booking that was found")
    .option("--not-booked", "the service operator says that there is no booking: it can be booked again")
    .option("--force", "with --not-booked, before the response can no longer come");
  addPlaceFlags(reconcile).action(action(run));
}

async function run(reference: string, _: ReconcileFlags, command: Command): Promise<ExitCode | undefined> {
  // The group has flags of the same names, which commander would keep for itself.
  const flags = command.optsWithGlobals<ReconcileFlags>();
  if (!flags.notBooked) refuseUnused(command, ["force"], "without --not-booked");
  const found = await readEvidence(flags);
  const { baseUrl } = await readClientOptions(flags);
  const { path, journal } = await openJournal(flags, baseUrl, { create: false });
  const { reconcile } = await import("../../flights/journal/reconcile.ts");
  const { describeRow } = await import("./show/bookings.ts");
  const row = await findRow(journal, reference, found);
  let closed: ReturnType<typeof describeRow>;
  try {
    closed = describeRow(await reconcile(journal, row, found, { force: flags.force }));
  } catch (error) {
    if (!BookingInFlightError.isInstance(error)) throw error;
    const code = reportError(error, flags);
    const wait = formatWait(error.row.responseDueBy - Date.now());
    printNote(`That is in ${wait}. --force closes it now: only if you are certain that the service is not booking it.`);
    return code;
  }
  if (flags.json) printJson({ journal: path, booking: closed });
  else {
    const name = closed.pnr ?? closed.bookingId;
    print(cleanLine(`${reference} is closed: ${closed.state}${name === undefined ? "" : `, ${name}`}.`));
    printNote(found === "notBooked" ? "It can be booked again." : "Have the ticket issued.");
  }
  return undefined;
}

/** Reads the result of the look-up. The library judges it. */
async function readEvidence({ booked, bookingId, notBooked }: ReconcileFlags): Promise<LookupResult> {
  const isFound = booked !== undefined || bookingId !== undefined;
  if (isFound === (notBooked === true)) {
    throw new ConfigurationError("Pass either --booked or --booking-id with what was found, or --not-booked.");
  }
  if (!isFound) return "notBooked";
  const isFile = booked === "-" || booked?.toLowerCase().endsWith(".json");
  const named = isFile ? await readFile(booked ?? "") : { pnr: booked };
  return { ...named, ...(bookingId !== undefined && { bookingId }) };
}

/** Reads a file such as the response to `book`, or `{ pnr, bookingId }`. */
async function readFile(file: string): Promise<Exclude<LookupResult, string>> {
  const { findBookingReference } = await import("../../flights/booking/reference.ts");
  const { pnr, bookingId } = findBookingReference(await readJsonFlag("--booked", file)) ?? {};
  if (pnr || bookingId) return { ...(pnr && { pnr }), ...(bookingId && { bookingId }) };
  throw new ConfigurationError("--booked: the JSON has no PNR and no booking ID.");
}

/** The open booking of a reference, or a closed one that turns out to exist. */
async function findRow(journal: BookingJournal, reference: string, found: LookupResult): Promise<JournalRow> {
  const { isPending } = await import("../../flights/journal/journal.ts");
  const rows = await journal.find(reference);
  const row =
    rows.find(isPending) ?? rows.findLast(({ state }) => found !== "notBooked" || state !== "rejected") ?? rows.at(-1);
  if (row !== undefined) return row;
  throw new ConfigurationError("The journal has no booking with this reference; see npx serviceapi bookings.");
}
