/**
 * A last check before a request leaves.
 *
 * @param limit - Milliseconds that the attempt may take; `Infinity` without a deadline.
 * @throws A typed error, if the request must not be sent any more.
 */
export type SendCheck = (limit: number) => void;

/** What tells a request apart on its way through a client that wraps this one. */
export interface SentRequest {
  readonly clientReferenceId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** By reference, which every wrapper has to pass on, while it may combine the signal with another or drop it. */
const checks = new Map<string, SendCheck>();

/** The signal carries the check as well, to another copy of this package. */
const key = Symbol.for("serviceapi.sendCheck");

/**
 * Has `check` run just before a request with this reference or signal is handed to `fetch`.
 *
 * @returns Ends that.
 */
export function checkBeforeSending(clientReferenceId: string, signal: AbortSignal, check: SendCheck): () => void {
  checks.set(clientReferenceId, check);
  Object.defineProperty(signal, key, { value: check });
  return () => {
    if (checks.get(clientReferenceId) === check) checks.delete(clientReferenceId);
  };
}

/** Runs the check that waits for this request, if there is one. */
export function runSendCheck({ clientReferenceId, signal }: SentRequest, limitMs: number): void {
  const known = clientReferenceId === undefined ? undefined : checks.get(clientReferenceId);
  const check: unknown = known ?? (signal === undefined ? undefined : Reflect.get(signal, key));
  if (typeof check === "function") check(limitMs);
}
