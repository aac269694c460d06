import { ServiceApiError } from "../../errors/base.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { type PreparedCall, sentCall } from "../request.ts";
import { callbackError } from "./callback.ts";
import { timeoutOrAbortError } from "./no-response.ts";

/** Returns the error that the caller sees when a call has failed. */
export function finalError(call: PreparedCall, error: unknown): ServiceApiError {
  const failure = ServiceApiError.isInstance(error) ? error : cancelledOrBroken(call, error);
  // Before the first attempt the operation knows nothing that the error does not say.
  return failure.outcome === "unknown" && call.progress.attempts > 0 ? explainUnknown(call, failure) : failure;
}

/** A pause that was cancelled; anything else is a fault of a function that the caller passed. */
function cancelledOrBroken(call: PreparedCall, error: unknown): ServiceApiError {
  const { cancellation } = call.scope;
  return cancellation === undefined ? callbackError(call, error) : timeoutOrAbortError(call, cancellation);
}

/** An explanation that itself fails must not hide the error that it was to explain. */
function explainUnknown(call: PreparedCall, failure: ServiceApiError): ServiceApiError {
  try {
    const explained: unknown = call.operation.toUnknownOutcomeError?.(failure, sentCall(call));
    ignoreRejection(explained);
    return ServiceApiError.isInstance(explained) ? explained : failure;
  } catch {
    return failure;
  }
}
