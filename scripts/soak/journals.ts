/** The journals of bookings. Each process opens its own. */
import { statSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import type { BookingJournal } from "../../src/flights/index.ts";
import { fileJournal } from "../../src/flights/journal/file.ts";
import { postgresJournal } from "../../src/flights/journal/postgres.ts";

export const journalNames = ["postgres", "file"] as const;
export type JournalName = (typeof journalNames)[number];

export const bookingsTable = "soak_bookings";

const pathIn = (folder: string) => join(folder, "bookings.journal");

export function openJournal(name: JournalName, folder: string, pool: pg.Pool): BookingJournal {
  return name === "file" ? fileJournal(pathIn(folder)) : postgresJournal(pool, { table: bookingsTable });
}

/** The file appears with the first booking. */
export const sizeOfFile = (folder: string) => statSync(pathIn(folder), { throwIfNoEntry: false })?.size ?? 0;
