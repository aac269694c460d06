import { isObject } from "../../shared/json.ts";
import type { BookingJournal, BookingState, ClaimOptions, JournalRow, OpenBookingState } from "./journal.ts";

export function unique(): string {
  return crypto.randomUUID();
}

/** A row that has nothing in common with any other. */
export function makeRow(changes: Partial<JournalRow> = {}): JournalRow {
  const sentAt = Date.now();
  return {
    attemptId: unique(),
    clientReferenceId: unique(),
    traceId: unique(),
    searchToken: unique(),
    token: unique(),
    result: 0,
    fingerprint: unique(),
    state: "sent",
    at: sentAt,
    sentAt,
    responseDueBy: sentAt + 240_000,
    ...changes,
  };
}

/** A row that was claimed and then settled. */
export async function make(journal: BookingJournal, state: BookingState): Promise<JournalRow> {
  const row = makeRow();
  await granted(journal, row);
  if (state === "sent") return row;
  const after: JournalRow = { ...row, state };
  await settled(journal, after, "sent");
  return after;
}

export async function granted(journal: BookingJournal, row: JournalRow, options: ClaimOptions = {}): Promise<void> {
  equal((await journal.claim(row, options)) ?? null, null, "the row that conflicts with a claim");
}

export async function refused(
  journal: BookingJournal,
  row: JournalRow,
  other: JournalRow,
  options: ClaimOptions = {},
): Promise<void> {
  equal(await journal.claim(row, options), other, "the row that conflicts with a claim");
  equal((await journal.get(row.attemptId)) ?? null, null, "the row that was refused");
  equal(await journal.get(other.attemptId), other, "the row that conflicts, afterwards");
}

export async function settled(journal: BookingJournal, row: JournalRow, from: OpenBookingState): Promise<void> {
  equal(await journal.settle(row, from), true, `settle from ${from} to ${row.state}`);
  equal(await journal.get(row.attemptId), row, "the row that was settled");
}

export function isRow({ attemptId }: JournalRow): (row: JournalRow) => boolean {
  return (row) => row.attemptId === attemptId;
}

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value, sorted));
  if (is !== should) throw new Error(`The journal does not keep its promise: ${what} should be ${should}, is ${is}.`);
}

/** The order of fields is of no account. */
function sorted(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
