import { BookingOutcomeUnknownError } from "../../../errors/booking.ts";
import { BookingAlreadySentError, OfferChangedError, PriceAboveLimitError } from "../../../flights/errors.ts";
import { isOverdue, isPending, type JournalRow } from "../../../flights/journal/journal.ts";
import type { LookupResult } from "../../../flights/journal/reconcile.ts";
import { formatDuration, formatTable, type Row, wrapText } from "../../shared/layout.ts";
import { cleanLine, commandName, quote } from "../../shared/print.ts";
import type { OpenedJournal } from "../journal.ts";

export function formatRowName({ pnr, pnrs, bookingId }: JournalRow): string {
  return cleanLine(pnrs?.join(", ") ?? pnr ?? bookingId ?? "");
}

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
    const has = `The journal ${path} has it as ${state}`;
    // The message says when --force is right. A reference that is taken stays taken.
    if (!isPending(error.row)) return `${has}${pnr === undefined ? "" : `, PNR ${pnr}`}.`;
    return [`${has}. Look it up, then close it:`, ...closing(clientReferenceId, flags, error.row)].join("\n");
  }
  if (PriceAboveLimitError.isInstance(error)) {
    return `Look at it with npx serviceapi quote${error.total === null ? "" : ", then raise --max-total"}.`;
  }
  return OfferChangedError.isInstance(error)
    ? "Look at it with npx serviceapi quote, and save that quote for --agreed."
    : undefined;
}

/** Returns the commands that list and close a booking. Its row says how long `--not-booked` is refused. */
export function closing(reference: string, flags: string, row: JournalRow | undefined): readonly string[] {
  const isEarly = row !== undefined && !isOverdue(row);
  const wait = isEarly
    ? `  # in ${formatDuration(row.responseDueBy - Date.now())}: until then it may still be booked`
    : "";
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

/** Returns the data of `--json` for a booking. Its tokens stay in the journal. */
export function describeRow(row: JournalRow) {
  const { token, searchToken, fingerprint, result, offers, at, sentAt, responseDueBy, ...rest } = row;
  const times = Object.entries({ at, sentAt, responseDueBy }).map(([name, time]) => [name, new Date(time)]);
  const state = { isOpen: isPending(row), isOverdue: isOverdue(row), next: nextStep(row) };
  return { ...rest, ...Object.fromEntries(times), ...state };
}

export function formatBookings(rows: readonly JournalRow[], flags: string, reference?: string): string {
  const none = `The journal has no booking with the reference ${cleanLine(reference ?? "")}.`;
  if (rows.length === 0) return reference === undefined ? "No booking is open." : none;
  const lines = rows.flatMap((row): Row[] => {
    const sent = `${formatDuration(Date.now() - row.sentAt)} ago`;
    const cells = [row.clientReferenceId, row.state, sent, formatRowName(row), nextStep(row)];
    const flights = (row.flights ?? []).map((flight) => `  ${cleanLine(flight)}`);
    return [cells.map(cleanLine), ...flights, `  trace_id ${cleanLine(row.traceId)}`];
  });
  const table = formatTable(["Reference", "State", "Sent", "PNR", "Next"], lines);
  const open = rows.filter(isPending);
  if (open.length === 0) return table;
  const advice = "Look an open booking up by its reference or trace_id, or ask the service operator to. Then close it:";
  const commands = open.map((row) => closing(cleanLine(row.clientReferenceId), flags, row).slice(1).join("\n"));
  return `${table}\n\n${wrapText(advice)}\n${commands.join("\n\n")}`;
}

/** It may be wait-listed, or above what was agreed to. */
const bookedStep = "check status and price, have it ticketed";

function nextStep(row: JournalRow): string {
  if (!isPending(row)) return row.state === "booked" ? bookedStep : "none: not booked";
  if (isOverdue(row)) return "look it up, reconcile";
  return `wait ${formatDuration(row.responseDueBy - Date.now())}, look it up`;
}
