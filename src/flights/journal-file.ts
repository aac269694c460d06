import { open, readFile } from "node:fs/promises";
import { ConfigurationError } from "../errors/request.ts";
import { type BookingJournal, type JournalRow, memoryJournal } from "./journal.ts";

/**
 * A journal in a file, which outlives a crash: one JSON line for each step, flushed to the disk before the booking goes on.
 * For **one process at a time**; several need a database (docs/flights.md). The file holds tokens and PNRs, no passenger data;
 * it is created readable by its owner alone.
 *
 * @param path - Where the file is, or will be. It only ever grows by a few lines a booking.
 * @throws {@link ConfigurationError} at the first use, when the file is not a journal: nothing is sent then.
 *
 * @example
 * ```ts
 * import { checkout } from "serviceapi/flights";
 * import { fileJournal } from "serviceapi/flights/node";
 *
 * const journal = fileJournal("/var/lib/shop/bookings.jsonl");
 * for (const row of await journal.pending()) console.log("Look up", row.clientReferenceId);
 * const trip = checkout(api, { trace_id, token }, { journal });
 * ```
 */
export function fileJournal(path: string): BookingJournal {
  let opened: Promise<BookingJournal> | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** One step after another: a line is never written into another, and a claim sees every line before it. */
  function inTurn<T>(step: (rows: BookingJournal) => Promise<T>): Promise<T> {
    const mine = turn.then(async () => {
      opened ??= read(path);
      try {
        return await step(await opened);
      } catch (error) {
        // What the disk holds is what counts: read it again at the next step.
        opened = undefined;
        throw error;
      }
    });
    turn = mine.catch(() => {});
    return mine;
  }

  return {
    claim: (row, force) =>
      inTurn(async (rows) => {
        const other = await rows.claim(row, force);
        if (other === undefined) await append(path, row);
        return other;
      }),
    settle: (row) =>
      inTurn(async (rows) => {
        await append(path, row);
        await rows.settle(row);
      }),
    find: (clientReferenceId) => inTurn((rows) => rows.find(clientReferenceId)),
    pending: () => inTurn((rows) => rows.pending()),
  };
}

async function append(path: string, row: JournalRow): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    // The line break in front ends a line that a crash left unfinished.
    await file.appendFile(`\n${JSON.stringify(row)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function read(path: string): Promise<BookingJournal> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "";
    throw error;
  });
  return memoryJournal(text.split("\n").flatMap((line, i) => (line === "" ? [] : readLine(path, line, i + 1))));
}

function readLine(path: string, line: string, number: number): JournalRow[] {
  const value = parse(line);
  if (isRow(value)) return [value];
  // A crash in the middle of a write leaves the beginning of a row; what was not whole was never acted upon.
  if (value === undefined && line.startsWith("{")) return [];
  throw new ConfigurationError(
    `Line ${number} of ${path} is no row of a booking journal. Nothing is booked until the file is repaired or moved away.`,
  );
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is JournalRow {
  return (
    typeof value === "object" &&
    value !== null &&
    "clientReferenceId" in value &&
    typeof value.clientReferenceId === "string" &&
    "state" in value &&
    typeof value.state === "string" &&
    "token" in value &&
    typeof value.token === "string"
  );
}
