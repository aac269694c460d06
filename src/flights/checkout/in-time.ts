import { BookingOutcomeUnknownError } from "../../errors/booking.ts";
import { TimeoutError } from "../../errors/request.ts";
import { maxTimerMs } from "../../shared/options.ts";
import { checkBeforeSending } from "../../shared/send-check.ts";
import type { JournalRow } from "../journal/journal.ts";

/** The time that the journal row of a booking leaves for it. */
export interface BookingTime {
  readonly row: JournalRow;
  /** Called when the request is handed over to `fetch`. */
  handOver(): void;
  /** Returns the milliseconds until the checkout ends the call itself, some time before `row.responseDueBy`. */
  timeLeft(): number;
}

/** The most that has to be left: a call with a longer deadline, or none, is ended in time. */
const enoughTime = 180_000;

/**
 * Sends a booking within the time of its row. After `responseDueBy` others may find no booking and book again, so a
 * request that may take longer is not sent, and no response is awaited longer, whatever the deadlines of the client.
 *
 * @param send - Sends the booking with the signal that is passed to it.
 * @throws {@link TimeoutError} if too little time is left, for example after the machine was suspended. Nothing was sent.
 * @throws {@link BookingOutcomeUnknownError} if the client did not end the call in time, or tries to send the booking again.
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
        const error = outcomeUnknown(
          time.row,
          `the client did not end the call in time for its journal row, which expects no response after ${new Date(time.row.responseDueBy).toISOString()}. Give the client a deadline (\`timeout\`, \`totalTimeout\`), and have it pass \`signal\` on`,
        );
        giveUp(error);
        controller.abort(error);
      },
      Math.min(Math.max(left, 0), maxTimerMs),
    );
  };
  let handedOver = false;
  const sent = { operation: "flights.book", clientReferenceId: time.row.clientReferenceId, signal: controller.signal };
  const forget = checkBeforeSending(sent, (limit) => {
    if (handedOver)
      throw outcomeUnknown(
        time.row,
        "the client tried to send it again, which was refused. Have the client not retry `book`",
      );
    const left = time.timeLeft();
    if (left < Math.min(limit, enoughTime)) throw tooLate(time.row);
    handedOver = true;
    time.handOver();
    // A timer does not count the time in which the machine was suspended.
    watch(left);
  });
  try {
    watch(time.timeLeft());
    return await Promise.race([send(controller.signal), givenUp]);
  } finally {
    clearTimeout(timer);
    forget();
    stopListening(signal, follow);
  }
}

/** A polyfill whose signal throws here must not hide the outcome of the booking. */
function stopListening(signal: AbortSignal | undefined, listener: () => void): void {
  try {
    signal?.removeEventListener("abort", listener);
  } catch {
    // The controller that it aborts is no longer used.
  }
}

function tooLate({ clientReferenceId, sentAt, responseDueBy }: JournalRow): TimeoutError {
  return new TimeoutError({
    message:
      "flights.book: too much time passed between the claim of the journal row and the request, so it was not sent. " +
      "Nothing is booked. Book again. If it happens again, look for what blocks or suspends the process.",
    operation: "flights.book",
    clientReferenceId,
    deadline: "total",
    phase: "credentials",
    timeout: responseDueBy - sentAt,
  });
}

function outcomeUnknown(row: JournalRow, why: string): BookingOutcomeUnknownError {
  const { clientReferenceId, traceId, token, sentAt } = row;
  return new BookingOutcomeUnknownError({
    message:
      `The booking may exist: it was handed to the client at ${new Date(sentAt).toISOString()}, and ${why}. Do not book again. ` +
      `Look it up by client_referenceId ${clientReferenceId} or trace_id ${traceId}, or ask the service operator to.`,
    operation: "flights.book",
    clientReferenceId,
    attempts: 1,
    traceId,
    token,
    sentAt,
  });
}
