import { ConfigurationError } from "../../errors/request.ts";
import { field, isObject } from "../../shared/json.ts";
import type { BookingState, JournalRow } from "./journal.ts";

const states: readonly string[] = ["sent", "booked", "rejected", "unknown"] satisfies BookingState[];

const isString = (value: unknown) => typeof value === "string";
/** A `Date` holds no later time. */
const isTime = (value: unknown) => typeof value === "number" && Math.abs(value) <= 8.64e15;
const orAbsent = (is: (value: unknown) => boolean) => (value: unknown) => value === undefined || is(value);

const fields: { readonly [Name in keyof JournalRow]-?: (value: unknown) => boolean } = {
  attemptId: (value) => typeof value === "string" && value !== "",
  clientReferenceId: isString,
  traceId: isString,
  searchToken: isString,
  token: isString,
  result: (value) => Number.isInteger(value) && Number(value) >= 0,
  fingerprint: isString,
  state: (value) => typeof value === "string" && states.includes(value),
  at: isTime,
  sentAt: isTime,
  responseDueBy: isTime,
  forced: orAbsent((value) => typeof value === "boolean"),
  reason: orAbsent(isString),
  pnr: orAbsent(isString),
  pnrs: orAbsent((value) => Array.isArray(value) && value.every(isString)),
  bookingId: orAbsent(isString),
};

/**
 * Reads a row from wherever it was kept: a file, a database, a saved trip, a journal of the application's own.
 *
 * @returns A copy with the known fields, or undefined if the value is not a row.
 */
export function readRow(value: unknown): JournalRow | undefined {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(fields).map(([name, isValid]) => {
    const content = field(value, name);
    return { name, content, isValid: isValid(content) };
  });
  if (entries.some(({ isValid }) => !isValid)) return undefined;
  const present = entries.filter(({ content }) => content !== undefined);
  // Each field has just been checked against the table, which has every field of a row.
  return Object.fromEntries(present.map(({ name, content }) => [name, content])) as unknown as JournalRow;
}

/** Refuses what is not a row. */
export function checkRow(owner: string, value: unknown): JournalRow {
  const row = readRow(value);
  if (row === undefined) throw new ConfigurationError(`${owner}: the row is not a JournalRow.`);
  return row;
}
