import { ServiceApiError } from "../../errors/base.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import type { BookingReference } from "../booking/reference.ts";
import { begin, withinTime } from "../journal/failure.ts";
import type { BookingJournal, JournalRow } from "../journal/journal.ts";
import { readRow } from "../journal/row.ts";

/** The names of a booking in a response. */
export type BookingNames = Pick<BookingReference, "pnr" | "pnrs" | "bookingId">;

/** A checkout does not wait longer than this for the journal once it knows the outcome of a booking. */
const settleLimit = 2_000;

/** Returns the row of a booking that exists. */
export function bookedRow(row: JournalRow, reference: BookingNames, at: number): JournalRow {
  return { ...row, state: "booked", at, ...namesIn(reference) };
}

/**
 * Returns the row of a booking that failed. Once it was sent, only what the service or the runtime rules out is a no.
 *
 * @param when - The time, and whether the request was handed over to `fetch`.
 */
export function failedRow(
  row: JournalRow,
  error: unknown,
  { at, isHandedOver }: { readonly at: number; readonly isHandedOver: boolean },
): JournalRow {
  if (!ServiceApiError.isInstance(error)) return { ...row, state: "unknown", reason: "unknown", at };
  if (error.outcome !== "unknown" && isOfBooking(error, isHandedOver)) {
    return { ...row, state: "rejected", reason: error.kind, at };
  }
  return { ...row, state: "unknown", reason: error.kind, ...namesIn(error), at };
}

/** A client may call other operations before or after `book`: an error of those says nothing about the booking. */
function isOfBooking({ operation, outcome }: ServiceApiError, isHandedOver: boolean): boolean {
  return operation === "flights.book" || (operation === undefined && outcome === "notSent" && !isHandedOver);
}

/**
 * Records a booking that exists. It exists all the same if that fails.
 *
 * @returns The warning, or undefined if the journal holds the booking.
 */
export async function recordBooked(journal: BookingJournal, row: JournalRow): Promise<string | undefined> {
  return withinTime(
    begin(() => settleBooked(journal, row)),
    settleLimit,
  ).catch(
    () => "is booked, but the journal did not record it in time: check its row, and settle it by hand if it is open",
  );
}

/** Records how a booking failed. A journal that fails as well must not hide that. */
export async function recordFailed(journal: BookingJournal, row: JournalRow): Promise<void> {
  await withinTime(
    begin(() => journal.settle(row, "sent")),
    settleLimit,
  ).catch(() => {});
}

/** A row that was closed meanwhile is overwritten: a booking that exists must not be lost. */
async function settleBooked(journal: BookingJournal, row: JournalRow): Promise<string | undefined> {
  if ((await journal.settle(row, "sent")) === true) return undefined;
  const current = readRow(await journal.get(row.attemptId));
  if (current?.state === "booked") {
    const isSame = current.pnr === undefined || row.pnr === undefined || current.pnr === row.pnr;
    return isSame
      ? undefined
      : `is booked, but was reconciled with another PNR, ${current.pnr}: correct its row by hand`;
  }
  if (current === undefined || current.state === "sent" || !(await journal.settle(row, current.state))) {
    throw new Error("The journal did not record the booking.");
  }
  return current.state === "rejected"
    ? "is booked, although its row was closed as not booked before the response came: find out whether it was booked again"
    : undefined;
}

/** The names in a reference, or in an error, which may be another copy's. */
function namesIn(named: object): Pick<JournalRow, keyof BookingNames> {
  const [pnr, bookingId] = [stringOf(field(named, "pnr")), stringOf(field(named, "bookingId"))];
  const pnrs = elementsOf(field(named, "pnrs")).map(stringOf);
  return {
    ...(pnr !== "" && { pnr }),
    ...(pnrs.some((one) => one !== pnr) && { pnrs }),
    ...(bookingId !== "" && { bookingId }),
  };
}
