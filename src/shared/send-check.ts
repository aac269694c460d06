import { field } from "./json.ts";

/**
 * A last check before a request leaves.
 *
 * @param limit - Milliseconds that the attempt may take; `Infinity` without a deadline.
 * @throws A typed error, if the request must not be sent any more.
 */
export type SendCheck = (limit: number) => void;

/** The properties that identify a request on its way through a client that wraps this one. */
export interface SentRequest {
  readonly operation: string;
  readonly clientReferenceId: string | undefined;
  readonly signal: AbortSignal | undefined;
}

interface RegisteredCheck {
  /** Another operation may have the same reference and signal: it does not count as this request. */
  readonly operation: string;
  readonly check: SendCheck;
}

/** Checks by reference. Every wrapper has to pass the reference on, but may replace the signal or drop it. */
const checks = new Map<string, RegisteredCheck>();

/** The signal carries the check as well, to another copy of this package. */
const key = Symbol.for("serviceapi.sendCheck");

/**
 * Registers a check that runs just before a request of this operation, with this reference or signal, is passed to
 * `fetch`.
 *
 * @returns A function that removes the check.
 */
export function checkBeforeSending(
  { operation, clientReferenceId, signal }: SentRequest & { readonly clientReferenceId: string },
  check: SendCheck,
): () => void {
  const registered: RegisteredCheck = { operation, check };
  checks.set(clientReferenceId, registered);
  if (signal !== undefined) Object.defineProperty(signal, key, { value: registered });
  return () => {
    if (checks.get(clientReferenceId) === registered) checks.delete(clientReferenceId);
  };
}

/** Runs the check that is registered for this request, if there is one. */
export function runSendCheck({ operation, clientReferenceId, signal }: SentRequest, limit: number): void {
  const known = clientReferenceId === undefined ? undefined : checks.get(clientReferenceId);
  const registered: unknown = known ?? (signal === undefined ? undefined : Reflect.get(signal, key));
  const check = field(registered, "check");
  if (field(registered, "operation") === operation && typeof check === "function") check(limit);
}
