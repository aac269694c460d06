import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { BookingAlreadySettledError, BookingInFlightError } from "../../flights/errors.ts";
import { FileLog } from "../../flights/journal/file.ts";
import { type BookingJournal, isPending, type JournalRow } from "../../flights/journal/journal.ts";
import { namesOf, readFound, reconcile, sharing } from "../../flights/journal/reconcile.ts";
import { readDotenv } from "../shared/client.ts";
import { baseUrlOption, declareCommand, dotenvOption, jsonOption, option } from "../shared/command.ts";
import { exitCodes, reportError } from "../shared/errors.ts";
import { formatDuration } from "../shared/layout.ts";
import { cleanLine, printNote, printResult, quote } from "../shared/print.ts";
import { journalHelp, journalOption, openJournal } from "./journal.ts";
import { correcting, describeRow, formatBookings, formatRowName } from "./show/bookings.ts";

const placeOptions = [
  baseUrlOption("base URL of the service whose journal it is"),
  dotenvOption,
  journalOption,
  jsonOption(),
] as const;

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
  lists: journalHelp,
  async run(flags) {
    readDotenv(flags);
    const { path, journal, flags: place } = openJournal(flags, { create: false });
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
  options: [
    option("--booked <pnr>", "PNR of the booking that was found"),
    option("--booking-id <id>", "booking ID of the booking that was found"),
    option("--not-booked", "the service operator says that there is no booking: it can be booked again"),
    option("--force", "with --not-booked, before the response can no longer come"),
    option("--replaces <pnr>", "PNR or booking ID that was recorded by mistake: what you pass now stands instead"),
    option("--shared-with <reference>", "another booking in the journal that has the same PNR"),
    ...placeOptions,
  ],
  unused: ({ notBooked }) => [
    notBooked ? ["with --not-booked", "replaces", "sharedWith"] : ["without --not-booked", "force"],
  ],
  async run(flags, [reference = ""]) {
    const { booked, bookingId, notBooked = false, force, replaces, sharedWith } = flags;
    if ((booked ?? bookingId) === undefined ? !notBooked : notBooked) {
      throw new ConfigurationError("Pass either --booked or --booking-id with what was found, or --not-booked.");
    }
    readDotenv(flags);
    const { path, journal, flags: place } = openJournal(flags, { create: false });
    const row = await findRow(journal, reference, notBooked);
    const found = notBooked ? "notBooked" : { pnr: booked, bookingId };
    try {
      const ending = readFound(found);
      if (!notBooked) await refuseTaken(path, row, ending, sharedWith);
      const corrected = replaces === undefined ? undefined : await correctNames(path, row, ending, replaces);
      const closed = corrected?.after ?? (await reconcile(journal, row, found, { force }));
      const name = formatRowName(closed);
      const replaced = corrected === undefined ? "" : `, in place of ${formatRowName(corrected.before)}`;
      printResult(flags, { journal: path, booking: describeRow(closed) }, () =>
        cleanLine(`${reference} is closed: ${closed.state}${name && `, ${name}`}${replaced}.`),
      );
      // The document does not show the form of a PNR, so another one is only pointed out.
      const isUsual = !booked || /^[a-z\d]{6}$/i.test(booked);
      const doubt = "A PNR usually has six letters or digits: if this one is wrong, correct it with --replaces. ";
      const next = `${isUsual ? "" : doubt}Check its status and price, then have the ticket issued.`;
      if (!flags.json) printNote(notBooked ? "It can be booked again." : next);
      return exitCodes.done;
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
  },
});

export const addBookings = (program: Command) => addReconcile(addList(program));

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
function correctNames(
  path: string,
  { clientReferenceId: reference }: JournalRow,
  found: Partial<JournalRow>,
  replaces: string,
) {
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
