import type { ErrorDetails, Outcome } from "../../errors/base.ts";
import type { ResponseHead, ResponseHeaders } from "../direct-response.ts";
import { redact } from "../redact.ts";
import type { CallContext, CalledOperation } from "../request.ts";
import { type AttemptFailure, isRetryable } from "../retry.ts";

/** A call that failed, perhaps before its credentials were there. */
export interface FailedCall
  extends Pick<CallContext, "clientReferenceId" | "progress">,
    Partial<Pick<CallContext, "secrets">> {
  readonly operation: Pick<CalledOperation, "name" | "retry">;
}

/** The details that every error of a call has. */
export function detailsOf(
  call: FailedCall,
  outcome: Outcome,
  failure?: AttemptFailure,
  response?: ResponseHead,
): Omit<ErrorDetails, "message"> {
  return {
    operation: call.operation.name,
    clientReferenceId: call.clientReferenceId,
    attempts: call.progress.attempts,
    outcome,
    isRetryable: failure !== undefined && isRetryable(call.operation.retry, failure),
    requestId: response && redactedRequestId(response, call.secrets ?? []),
  };
}

/** The ID of the request, without secrets. */
export function redactedRequestId(response: ResponseHead, secrets: readonly string[]): string | undefined {
  const id = readRequestId(response.headers);
  return id === undefined ? undefined : redact(id, secrets);
}

/** A string of the service, without secrets. */
export function redactIfAny(text: string | undefined, secrets: readonly string[]): string | undefined {
  return text === undefined ? undefined : redact(text, secrets);
}

/** The headers in which services and gateways name a request, the most specific first. */
const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "x-correlation-id",
  "correlation-id",
  "x-trace-id",
  "cf-ray",
  "traceparent",
];

/** Returns the ID that the service, or a gateway before it, gave the request. */
export function readRequestId(headers: ResponseHeaders): string | undefined {
  for (const name of requestIdHeaders) {
    const id = headers.get(name)?.trim();
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
