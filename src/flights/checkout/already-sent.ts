import { BookingAlreadySentError } from "../errors.ts";
import type { BookingConflict, BookingState, JournalRow } from "../journal/journal.ts";

/** Makes the error for a row that conflicts with another. */
export function alreadySent(other: JournalRow, row: JournalRow, conflict: BookingConflict): BookingAlreadySentError {
  return new BookingAlreadySentError({
    message:
      `${inCommon[conflict]} ${whatIsKnown[other.state]}, under client_referenceId ${other.clientReferenceId}. ` +
      `Nothing was sent now. ${adviceFor(other, conflict)}`,
    operation: "flights.book",
    clientReferenceId: row.clientReferenceId,
    conflict,
    row: other,
  });
}

const inCommon: Readonly<Record<BookingConflict, string>> = {
  reference: "A booking with this client_referenceId",
  token: "A booking on this quote",
  offer: "This offer",
  passengers: "A booking of the same flights, probably for the same passengers,",
};

const whatIsKnown: Readonly<Record<BookingState, string>> = {
  booked: "is booked already",
  sent: "was sent already, and its response is still to come or was lost",
  unknown: "was sent already, and it is not known yet whether it is booked",
  rejected: "was sent already",
};

function adviceFor({ state }: JournalRow, conflict: BookingConflict): string {
  if (state !== "booked") return "Look it up, close it with reconcile(), and book again only if it is not booked.";
  if (conflict === "reference") return "Use another reference for another booking.";
  return "If it was cancelled, or is to be booked twice, pass `force: true`.";
}
