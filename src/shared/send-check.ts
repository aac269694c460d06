/**
 * A last check before a request leaves. The signal of the call carries it, so it also reaches this client through another
 * client that wraps it.
 *
 * @param limit - Milliseconds that the attempt may take; `Infinity` without a deadline.
 * @throws A typed error, if the request must not be sent any more.
 */
export type SendCheck = (limit: number) => void;

/** A symbol of the whole process: the signal may come from another copy of this package. */
const key = Symbol.for("serviceapi.sendCheck");

/** Makes `check` run just before a request with this signal is handed to `fetch`. */
export function checkBeforeSending(signal: AbortSignal, check: SendCheck): void {
  Object.defineProperty(signal, key, { value: check });
}

/** Runs the check that the signal carries, if it carries one. */
export function runSendCheck(signal: AbortSignal | undefined, limit: number): void {
  const check: unknown = signal === undefined ? undefined : Reflect.get(signal, key);
  if (typeof check === "function") check(limit);
}
