import { ConfigurationError } from "../../errors/request.ts";
import { provesBooking } from "../../flights/booking/outcome.ts";
import { findBookingReference } from "../../flights/booking/reference.ts";
import type { LookupResult } from "../../flights/journal/reconcile.ts";
import { field, trimmedScalar } from "../../shared/json.ts";
import { operationResponse } from "../../transport/classify.ts";
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
export async function readEvidence(
  reference: string,
  { booked, bookingId, notBooked }: EvidenceFlags,
): Promise<LookupResult> {
  const isFound = booked !== undefined || bookingId !== undefined;
  if (isFound === (notBooked === true)) {
    throw new ConfigurationError("Pass either --booked or --booking-id with what was found, or --not-booked.");
  }
  if (!isFound) return "notBooked";
  const isFile = booked === "-" || booked?.toLowerCase().endsWith(".json");
  const named = isFile ? await readFile(reference, booked ?? "") : { pnr: booked };
  return { ...named, ...(bookingId !== undefined && { bookingId }) };
}

/** Reads a file: `{ pnr, bookingId }`, or a response that proves the booking of this reference as one to `book` would. */
async function readFile(reference: string, file: string): Promise<FoundBooking> {
  const body = await readJsonFlag("--booked", file);
  const { pnr, pnrs = [], bookingId } = findBookingReference(body) ?? {};
  if (pnr && pnrs.some((other) => !pnr.includes(other))) {
    throw new ConfigurationError(
      `--booked: the JSON has the PNRs ${pnrs.join(", ")}. Pass the one of this booking, or ${quote(pnrs.join("/"))} if it has all of them.`,
    );
  }
  if (!pnr && !bookingId) throw new ConfigurationError("--booked: the JSON has no PNR and no booking ID.");
  const isNames = Object.keys(Object(body)).every((name) => ["pnr", "bookingId"].includes(name));
  const isItsOwn = [body, field(body, "data"), field(field(body, "data"), "result")].every((place) =>
    ["", reference].includes(trimmedScalar(field(place, "client_referenceId"))),
  );
  if (isNames || (isItsOwn && provesBooking(operationResponse({ status: 200 }, body)))) {
    return { ...(pnr && { pnr }), ...(bookingId && { bookingId }) };
  }
  throw new ConfigurationError(
    `--booked: the JSON does not prove the booking of ${reference}: it has another reference, no success, or something that denies it. Read it, and pass the PNR itself if it is right.`,
  );
}
