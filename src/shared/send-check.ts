/**
 * A last check before a request leaves.
 *
 * @param limit - Milliseconds that the attempt may take; `Infinity` without a deadline.
 * @throws A typed error, if the request must not be sent any more.
 */
export type SendCheck = (limit: number) => void;

/** The properties that identify a request on its way through a client that wraps this one. */
export interface SentRequest {
  readonly clientReferenceId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Checks by reference. Every wrapper has to pass the reference on, but may replace the signal or drop it. */
const checks = new Map<string, SendCheck>();

/** The signal carries the check as well, to another copy of this package. */
const key = Symbol.for("serviceapi.sendCheck");

/**
 * Registers a check that runs just before a request with this reference or signal is passed to `fetch`.
 *
 * @returns A function that removes the check.
 */
export function checkBeforeSending(clientReferenceId: string, signal: AbortSignal, check: SendCheck): () => void {
  checks.set(clientReferenceId, check);
  Object.defineProperty(signal, key, { value: check });
  return () => {
    if (checks.get(clientReferenceId) === check) checks.delete(clientReferenceId);
  };
}

/** Runs the check that is registered for this request, if there is one. */
export function runSendCheck({ clientReferenceId, signal }: SentRequest, limit: number): void {
  const known = clientReferenceId === undefined ? undefined : checks.get(clientReferenceId);
  const check: unknown = known ?? (signal === undefined ? undefined : Reflect.get(signal, key));
  if (typeof check === "function") check(limit);
}
