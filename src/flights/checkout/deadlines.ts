import type { RequestOptions } from "../../options.ts";
import type { CheckoutClient } from "./types.ts";

/** The deadlines of a booking, which its journal row is written with. */
export interface BookingDeadlines {
  /** Milliseconds for a step of the journal before the booking is sent. */
  readonly journal: number;
  /** Milliseconds from the claim of a row to the time after which no response comes. */
  readonly answer: number;
}

/** The longest wait for a journal before a booking is sent. */
const journalLimit = 30_000;
/** For clocks of other machines, and for a service that finishes a booking after its client has gone. */
const margin = 60_000;
/** A booking without a deadline counts as on its way for a day. */
const noDeadline = 86_400_000;
/** The default deadline of `flights.book`, for a client of the application's own making. */
const defaultLimit = 180_000;

/** The effective deadlines of a booking with these options: those of the call, of the client, or the defaults. */
export function bookingDeadlines({ flights }: CheckoutClient, options: RequestOptions): BookingDeadlines {
  const limit = flights.bookingTimeLimit?.(options) ?? limitOf(options);
  const call = limit === false ? noDeadline : limit;
  const journal = Math.min(call, journalLimit);
  return { journal, answer: journal + call + margin };
}

function limitOf({ timeout = defaultLimit, totalTimeout = defaultLimit }: RequestOptions): number | false {
  const limits = [timeout, totalTimeout].filter((one) => one !== false);
  return limits.length === 0 ? false : Math.min(...limits);
}
