import { ConfigurationError } from "../../errors/request.ts";
import { findBookingReference } from "../../flights/booking/reference.ts";
import { FileLog } from "../../flights/journal/file.ts";
import type { JournalRow } from "../../flights/journal/journal.ts";
import { quote } from "../shared/shell.ts";
import type { FoundBooking } from "./evidence.ts";
import { formatRowName } from "./show/row-name.ts";

/**
 * Refuses a PNR or booking ID that the journal has for another booking: a slip in the middle of the night would leave
 * one of the two without a ticket.
 *
 * @param row - The booking that was found.
 * @param sharedWith - Reference of the other booking, for a PNR that is known to hold both.
 * @throws ConfigurationError if another booking has it, or `sharedWith` has not.
 */
export async function refuseTaken(
  path: string,
  row: JournalRow,
  found: FoundBooking,
  sharedWith: string | undefined,
): Promise<void> {
  const taken = new Set(keysOf(readNames(found)));
  const rows = await new FileLog(path, false).use(async (all) => all.standing());
  const others = rows.filter(
    (other) => other.attemptId !== row.attemptId && keysOf(other).some((key) => taken.has(key)),
  );
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
 * Writes other names into a row that is booked. It stays booked, so that its offer is not booked again, and the file
 * keeps the earlier names in the lines before.
 *
 * @param replaces - The PNR or booking ID that was recorded by mistake.
 * @returns The row before and after.
 * @throws ConfigurationError if the reference has no booking of that name.
 */
export function correctNames(
  path: string,
  reference: string,
  found: FoundBooking,
  replaces: string,
): Promise<{ readonly before: JournalRow; readonly after: JournalRow }> {
  const names = readNames(found);
  const log = new FileLog(path, false);
  return log.use(async (rows) => {
    const booked = rows.find(reference).filter(({ state }) => state === "booked");
    const before = booked.find((row) => keysOf(row).includes(keyOf(replaces)));
    if (before === undefined) throw notRecorded(reference, replaces, booked.map(formatRowName));
    const { pnr, pnrs, bookingId, ...rest } = before;
    const after = { ...rest, ...names, at: Date.now() };
    if ((await log.append({ row: after, from: "booked" })) === true) return { before, after };
    throw new ConfigurationError("The booking was changed meanwhile. Look at it with npx serviceapi bookings.");
  });
}

function notRecorded(reference: string, replaces: string, recorded: readonly string[]): ConfigurationError {
  return new ConfigurationError(
    recorded.length === 0
      ? `${reference} is not recorded as booked, so there is nothing to replace: leave out --replaces.`
      : `${reference} is recorded as ${recorded.join(" and ")}, not as ${replaces}. Nothing was changed.`,
  );
}

type Names = Pick<JournalRow, "pnr" | "bookingId">;

/** Placeholders such as "pending" are none. */
function readNames({ pnr, bookingId }: FoundBooking): Names {
  const named = findBookingReference({ pnr, booking_id: bookingId });
  if (named === undefined) throw new ConfigurationError("--booked needs a PNR or a booking ID of the service.");
  return { ...(named.pnr && { pnr: named.pnr }), ...(named.bookingId && { bookingId: named.bookingId }) };
}

/** The names by which two rows are the same booking: one of several PNRs, or the booking ID. */
function keysOf({ pnr = "", pnrs = [], bookingId }: Partial<JournalRow>): readonly string[] {
  const parts = [pnr, ...pnrs].flatMap((name) => name.split(/[^a-z\d]+/i));
  return [...parts, bookingId ?? ""].filter((name) => name !== "").map(keyOf);
}

function keyOf(name: string): string {
  return name.trim().toUpperCase();
}
