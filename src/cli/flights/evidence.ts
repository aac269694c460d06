import { ConfigurationError } from "../../errors/request.ts";
import { findBookingReference } from "../../flights/booking/reference.ts";
import type { LookupResult } from "../../flights/journal/reconcile.ts";
import { readJsonFlag } from "../shared/read-input.ts";
import { quote } from "../shared/shell.ts";

/** The flags with the result of a look-up. */
export interface EvidenceFlags {
  readonly booked?: string;
  readonly bookingId?: string;
  readonly notBooked?: boolean;
}

/** Names of a booking that a look-up found. */
export type FoundBooking = Exclude<LookupResult, string>;

/** Reads the result of the look-up. The library judges it. */
export async function readEvidence({ booked, bookingId, notBooked }: EvidenceFlags): Promise<LookupResult> {
  const isFound = booked !== undefined || bookingId !== undefined;
  if (isFound === (notBooked === true)) {
    throw new ConfigurationError("Pass either --booked or --booking-id with what was found, or --not-booked.");
  }
  if (!isFound) return "notBooked";
  const isFile = booked === "-" || booked?.toLowerCase().endsWith(".json");
  const named = isFile ? await readFile(booked ?? "") : { pnr: booked };
  return { ...named, ...(bookingId !== undefined && { bookingId }) };
}

/** Reads a file such as the response to `book`, or `{ pnr, bookingId }`. One that lists bookings says not which it is. */
async function readFile(file: string): Promise<FoundBooking> {
  const { pnr, pnrs = [], bookingId } = findBookingReference(await readJsonFlag("--booked", file)) ?? {};
  if (pnr && pnrs.some((other) => !pnr.includes(other))) {
    throw new ConfigurationError(
      `--booked: the JSON has the PNRs ${pnrs.join(", ")}. Pass the one of this booking, or ${quote(pnrs.join("/"))} if it has all of them.`,
    );
  }
  if (pnr || bookingId) return { ...(pnr && { pnr }), ...(bookingId && { bookingId }) };
  throw new ConfigurationError("--booked: the JSON has no PNR and no booking ID.");
}
