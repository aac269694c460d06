import type { ServiceApiError } from "../errors/base.ts";
import type { UnexpectedResponseError, UnexpectedResponseReason } from "../errors/request.ts";
import type { ClientOptions, StreamOptions } from "../options.ts";
import * as failures from "./create-error.ts";
import type { EventDetails } from "./log.ts";
import type { PreparedCall } from "./prepare.ts";
import { redactJson, summarize } from "./redact.ts";

/**
 * A call whose answer has begun (2xx, headers read) and whose body the receiver reads by itself: what a stream is made from.
 * A refusal (HTTP ≥ 400, a redirect, no connection) never becomes one: `Transport.open` rejects with the typed error.
 */
export interface OpenCall {
  readonly operation: string;
  readonly clientReferenceId: string | undefined;
  readonly attempts: number;
  /** The client's options with the call's own laid over them. */
  readonly options: ClientOptions & StreamOptions;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
  /** Body unread. */
  readonly response: Response;
  /**
   * Lets go of the connection. Call it once, unless the body has been read to its end. From here on the caller's signal is the receiver's
   * to watch: an abort does not reach a body that is being read once `gc()` ran (nodejs/undici#3644).
   */
  close(): void;
  /** The error for a whole JSON body that says no (`FAILED` in an answer of HTTP 200). */
  refusal(body: unknown): ServiceApiError;
  /** The error for a body that is no answer of this service. */
  unexpected(reason: UnexpectedResponseReason, text: string): UnexpectedResponseError;
  /** The error for a body that is none: a `fetch` of the caller's own can give anything. */
  misconfigured(error: unknown): ServiceApiError;
  /** What may be told of the error with which a body broke off. */
  summarize(error: unknown): Error | undefined;
  /** A parsed event, or a string of it, without secrets; changes it in place. */
  redact(body: unknown): unknown;
  /** Tells `onEvent` and the log. */
  report(event: EventDetails): void;
}

/** The call behind a response whose body has not been read. */
export function openCall(sent: PreparedCall, response: Response): OpenCall {
  sent.lifetime.close();
  // What was sent is not needed any more, and hundreds of streams may be open.
  const call: PreparedCall = { ...sent, headers: {}, json: "", body: {} };
  return {
    operation: call.operation.name,
    clientReferenceId: call.clientReferenceId,
    attempts: call.attempts,
    options: call.options,
    startedAt: call.startedAt,
    response,
    close: () => call.lifetime.abandonAttempt(),
    refusal: (body) => failures.refused(call, response, body),
    unexpected: (reason, text) => failures.unexpected(call, response, { reason, text }),
    misconfigured: (error) => failures.misconfigured(call, error),
    summarize: (error) => summarize(error, call.secrets),
    redact: (body) => redactJson(body, call.secrets),
    report: (event) => call.reporter.report(event),
  };
}
