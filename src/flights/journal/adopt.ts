import { type BookingJournal, isPending, type JournalRow } from "./journal.ts";

/**
 * Looks up a row of a saved trip, and writes it to a journal that does not know it: a booking that may exist must
 * conflict with others, and must be listed by `pending()`. No row of the journal is overwritten.
 *
 * @returns The row in the journal; undefined or null if another booking attempt has taken its reference there.
 */
export async function adopt(
  journal: Pick<BookingJournal, "get" | "claim" | "settle">,
  saved: JournalRow,
): Promise<JournalRow | undefined | null> {
  const known = (await journal.get(saved.attemptId)) ?? undefined;
  if (known !== undefined || !isPending(saved)) return known;
  // `force`, since the booking was sent whatever else stands in the journal. A row is claimed as `sent`, and left
  // pending by a crash.
  const other = (await journal.claim({ ...saved, state: "sent" }, { force: true })) ?? undefined;
  // A journal that retries a claim, because its own response was lost, finds the row that it has just written.
  const isWritten = other === undefined || other.attemptId === saved.attemptId;
  if (isWritten && saved.state === "unknown") await journal.settle(saved, "sent");
  return journal.get(saved.attemptId);
}
