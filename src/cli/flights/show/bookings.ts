import { isOverdue, isPending, type JournalRow } from "../../../flights/journal/journal.ts";
import { cleanLine } from "../../shared/clean-text.ts";
import { type Column, formatTable, type Row } from "../../shared/table.ts";
import { wrapText } from "../../shared/wrap.ts";
import { closing } from "./advice.ts";
import { formatAge, formatWait } from "./duration.ts";
import { formatRowName } from "./row-name.ts";

const columns: readonly Column[] = [
  { title: "Reference" },
  { title: "State" },
  { title: "Sent" },
  { title: "PNR" },
  { title: "Next" },
];

/** Returns the data of `--json` for a booking. Its tokens stay in the journal. */
export function describeRow(row: JournalRow, now = Date.now()) {
  const { token, searchToken, fingerprint, result, at, sentAt, responseDueBy, ...rest } = row;
  return {
    ...rest,
    at: timeOf(at),
    sentAt: timeOf(sentAt),
    responseDueBy: timeOf(responseDueBy),
    isOpen: isPending(row),
    isOverdue: isOverdue(row, { now: () => now }),
    next: nextStep(row, now),
  };
}

/**
 * Formats the rows of a journal for a terminal, with what to do about the open ones.
 *
 * @param flags - Those that lead to the journal.
 * @param reference - The reference that was asked for, if the rows are all of one.
 */
export function formatBookings(
  rows: readonly JournalRow[],
  flags: string,
  reference?: string,
  now = Date.now(),
): string {
  const [first] = rows;
  if (first === undefined) {
    return reference === undefined
      ? "No booking is open."
      : `The journal has no booking with the reference ${cleanLine(reference)}.`;
  }
  const table = formatTable(
    columns,
    rows.flatMap((row) => rowsOf(row, now)),
  );
  const open = rows.filter(isPending);
  if (open.length === 0) return table;
  const advice = "Look an open booking up by its reference or trace_id, or ask the service operator to. Then close it:";
  const commands = open.map((row) => closing(cleanLine(row.clientReferenceId), flags, row, now).slice(1).join("\n"));
  return [table, [wrapText(advice), commands.join("\n\n")].join("\n")].join("\n\n");
}

function rowsOf(row: JournalRow, now: number): Row[] {
  const age = `${formatAge(now - row.sentAt)} ago`;
  const cells = [row.clientReferenceId, row.state, age, formatRowName(row), nextStep(row, now)];
  return [cells.map(cleanLine), `  trace_id ${cleanLine(row.traceId)}`];
}

/** The journal keeps no status and no price: it may be waitlisted, or above the limit. */
const bookedStep = "check status and price, have it ticketed";

function nextStep(row: JournalRow, now: number): string {
  if (!isPending(row)) return row.state === "booked" ? bookedStep : "none: not booked";
  if (isOverdue(row, { now: () => now })) return "look it up, reconcile";
  return `wait ${formatWait(row.responseDueBy - now)}, look it up`;
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
