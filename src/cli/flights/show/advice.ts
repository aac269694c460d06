import { BookingOutcomeUnknownError } from "../../../errors/booking.ts";
import { BookingAlreadySentError, OfferChangedError, PriceAboveLimitError } from "../../../flights/errors.ts";
import { isPending } from "../../../flights/journal/journal.ts";
import type { OpenedJournal } from "../journal.ts";

/** Returns what to do after a booking that failed, with the commands to type; undefined if the error says it all. */
export function adviceFor(error: unknown, { path, flags }: OpenedJournal): string | undefined {
  if (BookingOutcomeUnknownError.isInstance(error)) {
    return [
      ...(error.pnr === undefined ? [] : [`The response names a PNR: ${error.pnr}.`]),
      `The journal ${path} keeps it, which stops a second booking. Look it up, then close it:`,
      ...closing(error.clientReferenceId ?? "", flags),
    ].join("\n");
  }
  if (BookingAlreadySentError.isInstance(error)) {
    const { state, clientReferenceId, pnr } = error.row;
    if (!isPending(error.row)) {
      return `The journal ${path} has it as ${state}${pnr === undefined ? "" : `, PNR ${pnr}`}. --force books it again.`;
    }
    return [
      `The journal ${path} has it as ${state}. Look it up, then close it:`,
      ...closing(clientReferenceId, flags),
    ].join("\n");
  }
  if (PriceAboveLimitError.isInstance(error)) return "Look at it with serviceapi quote, then raise --max-total.";
  return OfferChangedError.isInstance(error)
    ? "Look at it with serviceapi quote, and save that quote for --agreed."
    : undefined;
}

/**
 * Returns the commands that list and close a booking.
 *
 * @param flags - Those that lead to its journal.
 */
export function closing(reference: string, flags: string): readonly string[] {
  return ["", ` reconcile ${reference} --booked <PNR>`, ` reconcile ${reference} --not-booked`].map(
    (rest) => `  serviceapi bookings${rest}${flags}`,
  );
}
