import { open, readFile, stat } from "node:fs/promises";
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
  let known: Known = { size: -1, rows: memoryJournal() };
  let turn: Promise<unknown> = Promise.resolve();

  /** One step after another: a line is never written into another, and a claim sees every line before it. */
  function inTurn<T>(step: (rows: BookingJournal) => Promise<T>): Promise<T> {
    const mine = turn.then(async () => {
      // What the disk holds is what counts, also when an older process still writes while this one takes over.
      if ((await sizeOf(path)) !== known.size) known = await read(path);
      return step(known.rows);
    });
    turn = mine.catch(() => {});
    return mine;
  }

  async function append(row: JournalRow): Promise<void> {
    const size = known.size;
    known = { ...known, size: -1 };
    const written = await appendLine(path, row);
    if (written.before === size) known = { ...known, size: written.after };
  }

  return {
    claim: (row, force) =>
      inTurn(async (rows) => {
        const other = await rows.claim(row, force);
        if (other === undefined) await append(row);
        return other;
      }),
    settle: (row) =>
      inTurn(async (rows) => {
        await append(row);
        await rows.settle(row);
      }),
    find: (clientReferenceId) => inTurn((rows) => rows.find(clientReferenceId)),
    pending: () => inTurn((rows) => rows.pending()),
  };
}

/** The rows of a file as long as it has this size. */
interface Known {
  readonly size: number;
  readonly rows: BookingJournal;
}

/** Writes a row and has the disk keep it. The line break in front ends a line that a crash left unfinished. */
async function appendLine(path: string, row: JournalRow): Promise<{ readonly before: number; readonly after: number }> {
  const file = await open(path, "a", 0o600);
  try {
    const { size: before } = await file.stat();
    await file.appendFile(`\n${JSON.stringify(row)}\n`);
    await file.sync();
    return { before, after: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function read(path: string): Promise<Known> {
  const bytes = await ifThere(readFile(path), Buffer.alloc(0));
  const rows = bytes
    .toString("utf8")
    .split("\n")
    .flatMap((line, i) => (line === "" ? [] : readLine(path, line, i + 1)));
  return { size: bytes.length, rows: memoryJournal(rows) };
}

async function sizeOf(path: string): Promise<number> {
  return ifThere(
    stat(path).then(({ size }) => size),
    0,
  );
}

/** A file that is not there yet is an empty one; one that cannot be read is an error. */
function ifThere<T>(value: Promise<T>, otherwise: T): Promise<T> {
  return value.catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return otherwise;
    throw error;
  });
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
