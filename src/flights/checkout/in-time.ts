import { BookingOutcomeUnknownError } from "../../errors/booking.ts";
import { TimeoutError } from "../../errors/request.ts";
import { maxTimerMs } from "../../shared/options.ts";
import { checkBeforeSending } from "../../shared/send-check.ts";
import type { JournalRow } from "../journal/journal.ts";

/** The time that the journal row of a booking leaves for it. */
export interface BookingTime {
  readonly row: JournalRow;
  /** Returns the milliseconds until the checkout ends the call itself, some time before `row.answerBy`. */
  timeLeft(): number;
}

/** What has to be left if the client has no deadline at all. */
const leastTime = 180_000;

/**
 * Holds a booking to what its row says. After `answerBy` others may find no booking, and book again: so no request leaves that
 * may take longer than that, and no response is awaited that long, whatever the deadlines of the client.
 *
 * @param send - Sends the booking with the signal that is passed to it.
 * @throws {@link TimeoutError} if a suspended machine, say, left too little time. Nothing was sent.
 * @throws {@link BookingOutcomeUnknownError} if the client did not end the call in time.
 */
export async function sendInTime<T>(
  time: BookingTime,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const follow = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", follow);
  if (signal?.aborted) follow();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let giveUp: (error: Error) => void = () => {};
  const givenUp = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const watch = (left: number) => {
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        const error = tookTooLong(time.row);
        giveUp(error);
        controller.abort(error);
      },
      Math.min(Math.max(left, 0), maxTimerMs),
    );
  };
  checkBeforeSending(controller.signal, (limitMs) => {
    const left = time.timeLeft();
    if (left < (Number.isFinite(limitMs) ? limitMs : leastTime)) throw tooLate(time.row);
    // A timer does not count the time in which the machine was suspended.
    watch(left);
  });
  try {
    watch(time.timeLeft());
    return await Promise.race([send(controller.signal), givenUp]);
  } finally {
    clearTimeout(timer);
    stopListening(signal, follow);
  }
}

/** A signal of a polyfill that cannot let go must not replace what came of the booking. */
function stopListening(signal: AbortSignal | undefined, listener: () => void): void {
  try {
    signal?.removeEventListener("abort", listener);
  } catch {
    // The controller that it aborts is of no use any more.
  }
}

function tooLate({ clientReferenceId, sentAt, answerBy }: JournalRow): TimeoutError {
  return new TimeoutError({
    message:
      "flights.book: too much time passed between the claim of the journal row and the request, so it was not sent. " +
      "Nothing is booked. Book again; if this repeats, look for what blocks or suspends the process.",
    operation: "flights.book",
    clientReferenceId,
    deadline: "total",
    phase: "credentials",
    timeout: answerBy - sentAt,
  });
}

function tookTooLong({ clientReferenceId, traceId, token, sentAt, answerBy }: JournalRow): BookingOutcomeUnknownError {
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was handed to the client at ${new Date(sentAt).toISOString()}, and the client did not end the call ` +
      `in time for its journal row, which expects no response after ${new Date(answerBy).toISOString()}. Do not book again. ` +
      `Look it up by client_referenceId ${clientReferenceId} or trace_id ${traceId}, or ask the service operator to. ` +
      "Give the client a deadline (`timeout`, `totalTimeout`), and have it pass `signal` on.",
    operation: "flights.book",
    clientReferenceId,
    attempts: 1,
    traceId,
    token,
    sentAt,
  });
}
