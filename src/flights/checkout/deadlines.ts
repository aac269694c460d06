import { bookTimeout } from "../../defaults.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { type RequestOptions, timeLimit } from "../../options.ts";
import type { CheckoutClient } from "./types.ts";

/** The deadlines of a booking and of its journal row. */
export interface BookingDeadlines {
  /** Milliseconds for a step of the journal before the booking is sent. */
  readonly journal: number;
  /** Milliseconds from the claim of a row to the time at which the checkout ends the call itself. */
  readonly stop: number;
  /** Milliseconds from the claim of a row to the time after which the service makes no booking any more. */
  readonly response: number;
}

/** The longest wait for a journal before a booking is sent. */
const journalLimit = 30_000;
/** For clocks of other machines, and for a service that finishes a booking after its client has gone. */
const margin = 30_000;
/** For timers that fire late. */
const slack = 30_000;
/** A booking without a deadline counts as on its way for a day. */
const noDeadline = 86_400_000;
/** The effective deadlines of a booking with these options: those of the call, of the client, or the defaults. */
export function bookingDeadlines({ flights }: CheckoutClient, options: RequestOptions): BookingDeadlines {
  // The deadlines of a client of the application are not known here. `sendInTime` ends the call if they are longer.
  const limit = checkLimit(flights.bookingTimeLimit?.(options)) ?? timeLimit(bookTimeout, options);
  const call = limit === false ? noDeadline : limit;
  const journal = Math.min(call, journalLimit);
  const stop = journal + call + slack;
  // A client that gives up early does not make the service any faster.
  const usual = journalLimit + bookTimeout + slack;
  return { journal, stop, response: Math.max(stop, usual) + margin };
}

/** A client of the application may return anything, from which `responseDueBy` must not be computed. */
function checkLimit(limit: unknown): number | false | undefined {
  if (limit === undefined || limit === false) return limit;
  if (typeof limit === "number" && limit >= 0 && limit < Number.POSITIVE_INFINITY) return limit;
  throw new ConfigurationError(
    "trip.book: `bookingTimeLimit()` of the client must return a number of milliseconds of at least 0, or false. Nothing was sent.",
  );
}
