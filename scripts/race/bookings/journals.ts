/** The journals in the race. Each process opens its own. */
import pg from "pg";
import type { BookingJournal } from "../../../src/flights/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { postgresJournal } from "../../../src/flights/journal/postgres.ts";

export const journalNames = ["file", "postgres"] as const;
export type JournalName = (typeof journalNames)[number];

export interface OpenJournal {
  readonly journal: BookingJournal;
  close(): Promise<unknown>;
}

/** @param place - The path of the journal, or the URL of its database. */
export async function openJournal(name: JournalName, place: string): Promise<OpenJournal> {
  if (name === "file") return { journal: fileJournal(place), close: async () => {} };
  const pool = new pg.Pool({ connectionString: place, max: 8 });
  pool.on("error", () => {}); // A connection that ends while idle is replaced.
  const journal = postgresJournal(pool, { table: "race_bookings" });
  await journal.createSchema();
  return { journal, close: () => pool.end() };
}
