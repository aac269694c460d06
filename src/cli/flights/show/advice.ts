import { BookingOutcomeUnknownError } from "../../../errors/booking.ts";
import { BookingAlreadySentError, OfferChangedError, PriceAboveLimitError } from "../../../flights/errors.ts";
import { isOverdue, isPending, type JournalRow } from "../../../flights/journal/journal.ts";
import type { LookupResult } from "../../../flights/journal/reconcile.ts";
import { commandName, quote } from "../../shared/shell.ts";
import type { OpenedJournal } from "../journal.ts";
import { formatWait } from "./duration.ts";
import { formatRowName } from "./row-name.ts";

/** Returns what to do after a booking that failed, with the commands to type; undefined if the error says it all. */
export async function adviceFor(error: unknown, { path, flags, journal }: OpenedJournal): Promise<string | undefined> {
  if (BookingOutcomeUnknownError.isInstance(error)) {
    const reference = error.clientReferenceId ?? "";
    // The commands are worth more than the wait: a journal that fails now must not cost them.
    const rows = await journal.find(reference).catch(() => []);
    return [
      ...(error.pnr === undefined ? [] : [`The response names a PNR: ${error.pnr}.`]),
      `The journal ${path} keeps it, which stops a second booking. Look it up, then close it:`,
      ...closing(reference, flags, rows.find(isPending)),
    ].join("\n");
  }
  if (BookingAlreadySentError.isInstance(error)) {
    const { state, clientReferenceId, pnr } = error.row;
    if (!isPending(error.row)) {
      // The message says when --force is right. A reference that is taken stays taken.
      return `The journal ${path} has it as ${state}${pnr === undefined ? "" : `, PNR ${pnr}`}.`;
    }
    return [
      `The journal ${path} has it as ${state}. Look it up, then close it:`,
      ...closing(clientReferenceId, flags, error.row),
    ].join("\n");
  }
  if (PriceAboveLimitError.isInstance(error)) return "Look at it with npx serviceapi quote, then raise --max-total.";
  return OfferChangedError.isInstance(error)
    ? "Look at it with npx serviceapi quote, and save that quote for --agreed."
    : undefined;
}

/**
 * Returns the commands that list and close a booking.
 *
 * @param flags - Those that lead to its journal.
 * @param row - Its row, which says how long `--not-booked` is refused.
 */
export function closing(
  reference: string,
  flags: string,
  row: JournalRow | undefined,
  now = Date.now(),
): readonly string[] {
  const isEarly = row !== undefined && !isOverdue(row, { now: () => now });
  const wait = isEarly ? `  # in ${formatWait(row.responseDueBy - now)}: until then it may still be booked` : "";
  const command = `  ${commandName} bookings`;
  const reconcile = `${command} reconcile ${quote(reference)}`;
  return [`${command}${flags}`, `${reconcile} --booked <PNR>${flags}`, `${reconcile} --not-booked${flags}${wait}`];
}

/** Returns what the journal has of a booking that is closed, and the command that corrects a wrong PNR. */
export function correcting(row: JournalRow, found: LookupResult, flags: string): string | undefined {
  const name = formatRowName(row);
  if (row.state !== "booked" || name === "") return undefined;
  const has = `The journal has it as ${name}`;
  if (found === "notBooked") {
    return `${has}. A booking that is recorded stays. Only if you are certain that it does not exist: book with a new --reference and --force.`;
  }
  const command = `${commandName} bookings reconcile ${quote(row.clientReferenceId)}`;
  const known = quote(row.pnrs?.[0] ?? row.pnr ?? row.bookingId ?? "");
  return `${has}. If that is wrong, correct it:\n  ${command} --booked <PNR> --replaces ${known}${flags}`;
}
