import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { BookingAlreadySettledError, BookingInFlightError } from "../../flights/errors.ts";
import type { BookingJournal, JournalRow } from "../../flights/journal/journal.ts";
import type { LookupResult } from "../../flights/journal/reconcile.ts";
import { action } from "../shared/action.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { type ClientFlags, readClientOptions } from "../shared/client.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { refuseUnused } from "../shared/read-flags.ts";
import { reportError } from "../shared/report-error.ts";
import { type EvidenceFlags, readEvidence } from "./evidence.ts";
import { type JournalFlags, type OpenedJournal, openJournal } from "./journal.ts";
import { formatWait } from "./show/duration.ts";
import { formatRowName } from "./show/row-name.ts";

interface ReconcileFlags extends Pick<ClientFlags, "baseUrl" | "dotenv">, JournalFlags, EvidenceFlags {
  readonly json?: boolean;
  readonly force?: boolean;
  /** The booking stays booked. Its booking ID is removed too, unless `--booking-id` is passed; the file keeps both. */
  readonly replaces?: string;
  readonly sharedWith?: string;
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
    .option("--force", "with --not-booked, before the response can no longer come")
    .option("--replaces <pnr>", "PNR or booking ID that was recorded by mistake: what you pass now stands instead")
    .option("--shared-with <reference>", "another booking in the journal that has the same PNR");
  addPlaceFlags(reconcile).action(action(run));
}

async function run(reference: string, _: ReconcileFlags, command: Command): Promise<ExitCode | undefined> {
  // The group has flags of the same names, which commander would keep for itself.
  const flags = command.optsWithGlobals<ReconcileFlags>();
  refuseUnused(command, flags.notBooked ? ["replaces", "sharedWith"] : ["force"], unusedWhere(flags));
  const found = await readEvidence(reference, flags);
  const { baseUrl } = await readClientOptions(flags);
  const opened = await openJournal(flags, baseUrl, { create: false });
  const row = await findRow(opened.journal, reference, found);
  const { describeRow } = await import("./show/bookings.ts");
  let closed: Closed;
  try {
    closed = await close(opened, row, found, flags);
  } catch (error) {
    // The messages are ours, and the PNRs and numbers in them are to be typed: they stay whole.
    const code = reportError(error, { ...flags, showPii: true });
    const advice = await adviceOnRefusal(error, found, opened);
    if (advice !== undefined) printNote(advice);
    return code;
  }
  const { before, after } = closed;
  if (flags.json) printJson({ journal: opened.path, booking: describeRow(after) });
  else {
    const name = formatRowName(after);
    const replaced = before === undefined ? "" : `, in place of ${formatRowName(before)}`;
    print(cleanLine(`${reference} is closed: ${after.state}${name && `, ${name}`}${replaced}.`));
    printNote(adviceOnClosed(found));
  }
  return undefined;
}

/** The document does not show the form of a PNR, so another one is only pointed out. */
function adviceOnClosed(found: LookupResult): string {
  if (found === "notBooked") return "It can be booked again.";
  const isUsual = !found.pnr || /^[a-z\d]{6}$/i.test(found.pnr);
  const doubt = isUsual
    ? ""
    : "A PNR usually has six letters or digits: if this one is wrong, correct it with --replaces. ";
  return `${doubt}Check its status and price, then have the ticket issued.`;
}

function unusedWhere({ notBooked }: ReconcileFlags): string {
  return notBooked ? "with --not-booked" : "without --not-booked";
}

/** The row after it was closed, and the one that was corrected. */
interface Closed {
  readonly before?: JournalRow;
  readonly after: JournalRow;
}

async function close(
  { path, journal }: OpenedJournal,
  row: JournalRow,
  found: LookupResult,
  { force, replaces, sharedWith }: ReconcileFlags,
): Promise<Closed> {
  const { correctNames, refuseTaken } = await import("./recorded-names.ts");
  if (found !== "notBooked") await refuseTaken(path, row, found, sharedWith);
  if (found !== "notBooked" && replaces !== undefined) {
    return correctNames(path, row.clientReferenceId, found, replaces);
  }
  const { reconcile } = await import("../../flights/journal/reconcile.ts");
  return { after: await reconcile(journal, row, found, { force }) };
}

/** Returns what to do after a refusal of the journal; undefined if the error says it all. */
async function adviceOnRefusal(
  error: unknown,
  found: LookupResult,
  { flags }: OpenedJournal,
): Promise<string | undefined> {
  if (BookingInFlightError.isInstance(error)) {
    const wait = formatWait(error.row.responseDueBy - Date.now());
    return `That is in ${wait}. --force closes it now: only if you are certain that the service is not booking it.`;
  }
  if (!BookingAlreadySettledError.isInstance(error)) return undefined;
  const { correcting } = await import("./show/advice.ts");
  return correcting(error.row, found, flags);
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
