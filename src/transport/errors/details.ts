import { type ErrorDetails, type Outcome, ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { ClientOptions } from "../../options.ts";
import type { ResponseHead } from "../fetch.ts";
import { redact, secretsOf, summarize } from "../redact.ts";
import type { CallContext, CalledOperation } from "../request.ts";
import { type AttemptFailure, isRetryable } from "../retry-policy.ts";

const weights: Readonly<Record<Outcome, number>> = { notSent: 0, rejected: 1, unknown: 2 };

/** Returns the outcome of two attempts: whatever one may have done, the other does not undo. */
export function outcomeOfBoth(one: Outcome, other: Outcome): Outcome {
  return weights[one] > weights[other] ? one : other;
}

/** @param attempt - The outcome of the last attempt. */
export function detailsOf(call: CallContext, attempt: Outcome, failure?: AttemptFailure, response?: ResponseHead) {
  const outcome = outcomeOfBoth(call.progress.outcome, attempt);
  return {
    operation: call.operation.name,
    clientReferenceId: call.clientReferenceId,
    attempts: call.progress.attempts,
    outcome,
    isRetryable: failure !== undefined && isRetryable(call.operation.retry, failure, outcome),
    requestId: response && redactedRequestId(response, call.secrets),
  } satisfies Omit<ErrorDetails, "message">;
}

/** The operation, as far as advice depends on it. */
export type AdvisedOperation = Pick<CalledOperation, "area" | "retry">;

/** Returns the advice when all that is known is whether the call may have been carried out. */
export function adviseBy(outcome: Outcome, { area, retry }: AdvisedOperation): string {
  if (outcome === "notSent") return "Nothing was sent.";
  if (retry === "safe") return safeToRetry;
  if (outcome === "rejected") return "Nothing was done.";
  return area === "ai" ? askAgain : lookFirst;
}

/** Returns the advice after a refusal, if an earlier attempt may have been carried out, with a space before it. */
export function adviseOnEarlier(attempt: Outcome, outcome: Outcome, operation: AdvisedOperation): string {
  return attempt === outcome || operation.retry === "safe" ? "" : ` ${adviseBy(outcome, operation)}`;
}

export const safeToRetry = "It is safe to retry.";
const lookFirst = "It may have been carried out: look it up by its `client_referenceId` before you retry.";
/** Nothing looks up an AI response. */
export const askAgain = "It may have been processed: asking again may use the quota twice.";

/** The ID of the request, without secrets. */
export function redactedRequestId(response: ResponseHead, secrets: readonly string[]): string | undefined {
  return redact(readRequestId(response.headers), secrets);
}

/** The headers in which services and gateways name a request, the most specific first. */
const requestIdHeaders =
  "x-request-id request-id x-amzn-requestid x-amz-request-id x-correlation-id correlation-id x-trace-id cf-ray traceparent".split(
    " ",
  );

/** Returns the ID that the service, or a gateway before it, gave the request. */
export function readRequestId(headers: Pick<Headers, "get">): string | undefined {
  for (const name of requestIdHeaders) {
    const id = headers.get(name);
    if (id) return id;
  }
  return undefined;
}

/**
 * Returns the end of a message that names the request; an empty string for an ID that is long or not printable ASCII.
 */
export function namingRequest(id: string | undefined): string {
  return id !== undefined && /^[\x21-\x7e]{1,64}$/.test(id) ? ` Request ID: ${id}.` : "";
}

/**
 * Calls a hook of the operation on a response. Whatever it throws is the error of the callback, also an error of this
 * library that it passes on: that belongs to another call.
 */
export function askHook<T>(call: CallContext, ask: () => T): T {
  try {
    return ask();
  } catch (error) {
    throw callbackError(call, error);
  }
}

/**
 * Returns the error for what failed on a response without being the service's: a schema or function of the caller, or a
 * part that could not be loaded. The request was sent, and its outcome is unknown.
 */
export function callbackError(call: CallContext, error: unknown): ConfigurationError {
  const { operation, secrets } = call;
  const isOurs = ServiceApiError.isInstance(error);
  const problem = isOurs
    ? error.message
    : `${operation.name}: a schema or function that was passed to this library threw while the call was running.`;
  return new ConfigurationError(`${problem} ${adviseBy("unknown", operation)}`, {
    ...detailsOf(call, "unknown"),
    cause: isOurs ? undefined : summarize(error, secrets),
  });
}

/**
 * Returns the error for a call that was not sent. An error of another class comes from a schema or function of the
 * caller.
 */
export function refusedBeforeSending(error: unknown, { clientSecret, headers }: ClientOptions): ServiceApiError {
  if (ServiceApiError.isInstance(error)) return error;
  const secrets = secretsOf(clientSecret, headers);
  return new ConfigurationError("A schema or function that was passed to this library threw. Nothing was sent.", {
    cause: summarize(error, secrets),
  });
}
