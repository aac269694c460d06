import { ConfigurationError } from "../../errors/request.ts";
import { BookingAlreadySettledError, BookingInFlightError } from "../../flights/errors.ts";
import { FileLog } from "../../flights/journal/file.ts";
import { type BookingJournal, isPending, type JournalRow } from "../../flights/journal/journal.ts";
import { type LookupResult, namesOf, readFound, reconcile, sharing } from "../../flights/journal/reconcile.ts";
import { readClientOptions } from "../shared/client.ts";
import { type ExitCode, reportError } from "../shared/errors.ts";
import { formatDuration } from "../shared/notes.ts";
import { cleanLine, printNote, printResult, quote } from "../shared/print.ts";
import { openJournal, type ReconcileFlags } from "./journal.ts";
import { correcting, describeRow, formatRowName } from "./show/bookings.ts";

export async function closeBooking(reference: string, flags: ReconcileFlags): Promise<ExitCode | undefined> {
  const { booked, bookingId, notBooked = false, force, replaces, sharedWith } = flags;
  if ((booked ?? bookingId) === undefined ? !notBooked : notBooked) {
    throw new ConfigurationError("Pass either --booked or --booking-id with what was found, or --not-booked.");
  }
  const { baseUrl } = await readClientOptions(flags);
  const { path, journal, flags: place } = await openJournal(flags, baseUrl, { create: false });
  const row = await findRow(journal, reference, notBooked);
  const found = notBooked ? "notBooked" : { pnr: booked, bookingId };
  try {
    const ending = readFound(found);
    if (!notBooked) await refuseTaken(path, row, ending, sharedWith);
    const corrected =
      replaces === undefined ? undefined : await correctNames(path, row.clientReferenceId, ending, replaces);
    const closed = corrected?.after ?? (await reconcile(journal, row, found, { force }));
    const name = formatRowName(closed);
    const replaced = corrected === undefined ? "" : `, in place of ${formatRowName(corrected.before)}`;
    printResult(flags, { journal: path, booking: describeRow(closed) }, () =>
      cleanLine(`${reference} is closed: ${closed.state}${name && `, ${name}`}${replaced}.`),
    );
    if (!flags.json) printNote(adviceOnClosed(found));
    return undefined;
  } catch (error) {
    // The messages are ours, and the PNRs and numbers in them are to be typed: they stay whole.
    const code = reportError(error, { ...flags, showPii: true });
    if (BookingInFlightError.isInstance(error)) {
      const wait = formatDuration(error.row.responseDueBy - Date.now());
      printNote(
        `That is in ${wait}. --force closes it now: only if you are certain that the service is not booking it.`,
      );
    }
    const advice = BookingAlreadySettledError.isInstance(error) && correcting(error.row, found, place);
    if (advice) printNote(advice);
    return code;
  }
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

async function findRow(journal: BookingJournal, reference: string, notBooked: boolean): Promise<JournalRow> {
  const rows = await journal.find(reference);
  const row = rows.find(isPending) ?? rows.findLast(({ state }) => !notBooked || state !== "rejected") ?? rows.at(-1);
  if (row !== undefined) return row;
  throw new ConfigurationError("The journal has no booking with this reference; see npx serviceapi bookings.");
}

/**
 * Refuses a PNR or booking ID that the journal has for another booking than the row's, unless that is `sharedWith`, for a
 * PNR that is known to hold both: a slip in the middle of the night would leave one of the two without a ticket.
 */
async function refuseTaken(
  path: string,
  row: JournalRow,
  found: Partial<JournalRow>,
  sharedWith: string | undefined,
): Promise<void> {
  const others = await new FileLog(path, false).use(async ({ all }) => sharing(all, row, found));
  if (others.some(({ clientReferenceId }) => clientReferenceId === sharedWith)) return;
  const [other] = others;
  if (other !== undefined) {
    const { clientReferenceId } = other;
    throw new ConfigurationError(
      `The journal has ${formatRowName(other)} for another booking, ${clientReferenceId}. Nothing was changed. ` +
        `Look both up. If one PNR holds both, pass --shared-with ${quote(clientReferenceId)}.`,
    );
  }
  if (sharedWith === undefined) return;
  throw new ConfigurationError(`The journal does not have it for ${sharedWith}: leave out --shared-with.`);
}

/**
 * Writes other names into a row that is booked, in place of the PNR or booking ID `replaces`. It stays booked, so that
 * its offer is not booked again, and the file keeps the earlier names in the lines before.
 */
function correctNames(path: string, reference: string, found: Partial<JournalRow>, replaces: string) {
  const log = new FileLog(path, false);
  return log.use(async (rows) => {
    const booked = rows.find(reference).filter(({ state }) => state === "booked");
    const before = booked.find((row) => namesOf(row).includes(replaces.trim().toUpperCase()));
    if (before === undefined) {
      throw new ConfigurationError(
        booked.length === 0
          ? `${reference} is not recorded as booked, so there is nothing to replace: leave out --replaces.`
          : `${reference} is recorded as ${booked.map(formatRowName).join(" and ")}, not as ${replaces}. Nothing was changed.`,
      );
    }
    const { pnr, pnrs, bookingId, ...rest } = before;
    const after = { ...rest, ...found, at: Date.now() };
    if ((await log.append({ row: after, from: "booked" })) === true) return { before, after };
    throw new ConfigurationError("The booking was changed meanwhile. Look at it with npx serviceapi bookings.");
  });
}
