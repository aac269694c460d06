import type { ErrorDetails, Outcome } from "../../errors/base.ts";
import type { ResponseHead } from "../direct-response.ts";
import { redact } from "../redact.ts";
import type { CallContext, CalledOperation } from "../request.ts";
import { readRequestId } from "../request-id.ts";
import { type Failure, isRetryable } from "../retry.ts";

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
  failure?: Failure,
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

/** The outcome of a call whose current attempt was not sent: the one that earlier attempts left open. */
export function outcomeSoFar({ progress }: FailedCall): Outcome {
  return progress.mayHaveActed ? "unknown" : "notSent";
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
