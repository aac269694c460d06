import { ConfigurationError } from "../../errors/request.ts";
import { adopt } from "../journal/adopt.ts";
import { type BookingJournal, isPending, type JournalRow } from "../journal/journal.ts";
import { memoryJournal } from "../journal/memory.ts";
import { askForRow, askForRows, type LookupResult, type ReconcileOptions, reconcile } from "../journal/reconcile.ts";
import type { CheckoutParams } from "./types.ts";

/** The booking attempts of a trip, and its journal, which takes precedence. */
export interface TripBookings {
  readonly params: CheckoutParams;
  readonly journal: BookingJournal;
  /** The rows that are saved with the trip, by `attemptId`. */
  readonly attempts: Map<string, JournalRow>;
}

/** Closes an open booking attempt of a trip, in the journal and in the trip. */
export async function reconcileTrip(
  bookings: TripBookings,
  found: LookupResult,
  clientReferenceId: string | undefined,
  options: ReconcileOptions,
): Promise<JournalRow> {
  const { journal, attempts } = bookings;
  if (clientReferenceId !== undefined) await addAttemptsInJournal(bookings, clientReferenceId);
  const open: { readonly row: JournalRow; readonly holder: BookingJournal }[] = [];
  for (const saved of [...attempts.values()]) {
    const held = await askForRow(saved, () => adopt(journal, saved));
    const row = held ?? saved;
    attempts.set(row.attemptId, row);
    const isMeant = clientReferenceId === undefined || row.clientReferenceId === clientReferenceId;
    // Another booking attempt may have the row's reference in the journal: then the saved trip alone holds the row.
    if (isMeant && isPending(row)) open.push({ row, holder: held === undefined ? memoryJournal([row]) : journal });
  }
  const [one, ...others] = open;
  if (one === undefined || others.length > 0) {
    throw new ConfigurationError(
      `This trip has ${one === undefined ? "no matching open booking" : "several open bookings"}. Choose one by its client_referenceId, or close a row of journal.pending() with reconcile(journal, row, found).`,
    );
  }
  const closed = await reconcile(one.holder, one.row, found, options);
  attempts.set(closed.attemptId, closed);
  return closed;
}

/** A trip that was saved before a booking, and whose process then crashed, knows it by the journal alone. */
async function addAttemptsInJournal(
  { params, journal, attempts }: TripBookings,
  clientReferenceId: string,
): Promise<void> {
  for (const row of await askForRows(journal, { clientReferenceId })) {
    const isOfTrip = row.traceId === params.trace_id && row.searchToken === params.token;
    if (isOfTrip && !attempts.has(row.attemptId)) attempts.set(row.attemptId, row);
  }
}
