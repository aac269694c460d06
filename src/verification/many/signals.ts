import { AbortError } from "../../errors/request.ts";
import { findVpas } from "../operations.ts";
import type { Run } from "./look-up.ts";

/** The reason of the end when the caller leaves the loop. */
export const callerLeft = "the caller left the loop";

/** Ends the run, or what it reads and sends, with the caller's signals. Returns the function that stops listening. */
export function followSignals(
  { settings, pace, signal, ending, unsent }: Run,
  stop: AbortController,
  reading: AbortController,
): () => void {
  const halt = (reason: unknown) => {
    reading.abort(reason);
    pace.stop(reason);
  };
  signal.addEventListener("abort", () => halt(signal.reason));
  const removeAbort = onAbort(settings.signal, (reason) => stop.abort(abortOf(pace.inFlight, reason)));
  ending.signal.addEventListener("abort", () => halt(unsent));
  const removeDrain = onAbort(settings.drainSignal, () => {
    reading.abort(unsent);
    pace.drain(unsent);
  });
  return () => {
    removeAbort();
    removeDrain();
  };
}

/** Calls back when the signal is aborted, immediately if it was. Returns the function that removes the listener. */
function onAbort(signal: AbortSignal | undefined, call: (reason: unknown) => void): () => void {
  const listener = () => call(signal?.reason);
  if (signal?.aborted) listener();
  else signal?.addEventListener("abort", listener);
  return () => signal?.removeEventListener("abort", listener);
}

/** The error counts the requests that are under way, whose responses nobody waits for any more. */
function abortOf(inFlight: number, reason: unknown): AbortError {
  return new AbortError({
    operation: findVpas.name,
    message: "findMany: aborted by the caller. Continue with `startAt`, the number of results that you have.",
    ...(inFlight > 0 ? { phase: "headers", outcome: "unknown" } : { phase: "backoff" }),
    attempts: inFlight,
    reason,
  });
}

/** Returns the error of the numbers whose turn did not come before the end of a run. */
export function createUnsentError(): AbortError {
  const message = "findMany: the run ended before this number was sent. Look it up again.";
  return new AbortError({ operation: findVpas.name, message, phase: "backoff", attempts: 0, reason: undefined });
}
