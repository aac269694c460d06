/** The journals in the race. Each process opens its own. */
import pg from "pg";
import type { BookingJournal } from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { postgresJournal } from "../../../src/flights/journal/postgres.ts";

export interface OpenJournal {
  readonly journal: BookingJournal;
  close(): Promise<unknown>;
}

/** They are opened at a path, or at the URL of a database. */
const journals = { file: openFile, postgres: openPostgres } satisfies Record<
  string,
  (place: string) => Promise<OpenJournal>
>;
export type JournalName = keyof typeof journals;
export const journalNames = Object.keys(journals) as readonly JournalName[];

export function openJournal(name: JournalName, place: string): Promise<OpenJournal> {
  return journals[name](place);
}

async function openFile(path: string): Promise<OpenJournal> {
  return { journal: fileJournal(path), close: async () => {} };
}

async function openPostgres(url: string): Promise<OpenJournal> {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on("error", () => {}); // A connection that ends while idle is replaced.
  const journal = postgresJournal(pool, { table: "race_bookings" });
  await journal.createSchema();
  return { journal, close: () => pool.end() };
}
