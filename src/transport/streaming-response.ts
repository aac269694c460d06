import type { ServiceApiError } from "../errors/base.ts";
import type { UnexpectedResponseError, UnexpectedResponseReason } from "../errors/request.ts";
import type { ClientOptions, StreamOptions } from "../options.ts";
import { callbackError } from "./errors/callback.ts";
import { apiError } from "./errors/refusal.ts";
import { unexpectedResponseError } from "./errors/unusable-response.ts";
import type { EventDetails } from "./log.ts";
import { redactJson, summarize } from "./redact.ts";
import type { CallContext, PreparedCall } from "./request.ts";

/**
 * A response that has begun (2xx, headers read) and whose body its receiver reads: the source of a stream. A call that
 * fails before that (HTTP ≥ 400, a redirect, no connection) rejects with its typed error instead.
 */
export interface StreamingResponse {
  readonly operation: string;
  readonly clientReferenceId: string | undefined;
  readonly attempts: number;
  /** The client's options, overridden by those of the call. */
  readonly options: ClientOptions & StreamOptions;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
  /** The response. Its body is unread. */
  readonly response: Response;
  /**
   * Closes the connection. Call it unless the body has been read to its end. The receiver also watches the caller's
   * signal: an abort does not reach a body that is being read after `gc()` ran (nodejs/undici#3644).
   */
  close(): void;
  /** Returns the error for a whole JSON body that is a refusal (`FAILED` in a response of HTTP 200). */
  refusal(body: unknown): ServiceApiError;
  /** Returns the error for a body that is not a response of the service. */
  unexpected(reason: UnexpectedResponseReason, text: string): UnexpectedResponseError;
  /** Returns the error for a body that cannot be read: the caller's own `fetch` may return anything. */
  misconfigured(error: unknown): ServiceApiError;
  /** Summarizes, without secrets, the error with which a body broke off. */
  summarize(error: unknown): Error | undefined;
  /** Removes secrets from a parsed event, which is changed in place, or from a string of it. */
  redact(body: unknown): unknown;
  /** Reports to `onEvent` and the log. */
  report(event: EventDetails): void;
}

/** Passes the response of a call to its receiver. */
export function streamingResponse(
  { operation, clientReferenceId, options, secrets, progress, scope, reporter, startedAt }: PreparedCall,
  response: Response,
): StreamingResponse {
  // Hundreds of streams may be open: URL, headers and body of the request are not kept.
  const call: CallContext = { operation, clientReferenceId, options, secrets, progress };
  return {
    operation: operation.name,
    clientReferenceId,
    attempts: progress.attempts,
    options,
    startedAt,
    response,
    close: () => scope.cancelAttempt(),
    refusal: (body) => apiError(call, response, body),
    unexpected: (reason, text) => unexpectedResponseError(call, response, { reason, text }),
    misconfigured: (error) => callbackError(call, error),
    summarize: (error) => summarize(error, secrets),
    redact: (body) => redactJson(body, secrets),
    report: (event) => reporter.report(event),
  };
}
