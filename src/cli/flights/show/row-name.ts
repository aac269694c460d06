import type { JournalRow } from "../../../flights/journal/journal.ts";
import { cleanLine } from "../../shared/clean-text.ts";

/** Returns what a booking is known by: its PNRs, else its booking ID, else an empty string. */
export function formatRowName({ pnr, pnrs, bookingId }: JournalRow): string {
  return cleanLine(pnrs?.join(", ") ?? pnr ?? bookingId ?? "");
}
