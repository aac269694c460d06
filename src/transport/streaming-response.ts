import type { Issue, ServiceApiError } from "../errors/base.ts";
import type { UnexpectedResponseError, UnexpectedResponseReason } from "../errors/request.ts";
import type { ClientOptions, StreamOptions } from "../options.ts";
import type { CallScope } from "./cancellation.ts";
import { readEchoes } from "./echo.ts";
import { callbackError, redactedRequestId } from "./errors/details.ts";
import { apiError } from "./errors/refusal.ts";
import { unexpectedResponseError } from "./errors/unusable-response.ts";
import type { EventDetails, Reporter } from "./log.ts";
import { redactJson, summarize } from "./redact.ts";
import type { CallContext, PreparedCall } from "./request.ts";

/**
 * A response that has begun (2xx, headers read) and whose body its receiver reads: the source of a stream. A call that
 * fails before that (HTTP ≥ 400, a redirect, no connection) rejects with its typed error instead.
 */
export class StreamingResponse {
  /** The response. Its body is unread. */
  readonly response: Response;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
  /** The strings among the fields of the request, such as its tokens. The rest may be long, and is not kept. */
  readonly #sent: Readonly<Record<string, unknown>>;
  // URL, headers and the rest of the request are not kept.
  readonly #call: CallContext;
  readonly #scope: CallScope;
  readonly #reporter: Reporter | undefined;

  /** @internal */
  constructor({ operation, clientReferenceId, options, secrets, progress, ...rest }: PreparedCall, response: Response) {
    this.response = response;
    this.startedAt = rest.startedAt;
    this.#sent = Object.fromEntries(Object.entries(rest.body).filter(([, value]) => typeof value === "string"));
    this.#call = { operation, clientReferenceId, options, secrets, progress };
    this.#scope = rest.scope;
    this.#reporter = rest.reporter;
  }

  get clientReferenceId(): string | undefined {
    return this.#call.clientReferenceId;
  }

  get attempts(): number {
    return this.#call.progress.attempts;
  }

  /** The ID that the service, or a gateway before it, gave the request, if it has one. */
  get requestId(): string | undefined {
    return redactedRequestId(this.response, this.#call.secrets);
  }

  /** The client's options, overridden by those of the call. */
  get options(): ClientOptions & StreamOptions {
    return this.#call.options;
  }

  /**
   * Closes the connection. Call it unless the body has been read to its end. The receiver also watches the caller's
   * signal: an abort does not reach a body that is being read after `gc()` ran (nodejs/undici#3644).
   */
  close(): void {
    this.#scope.cancelAttempt();
  }

  /** Returns the error for a whole JSON body that is a refusal (`FAILED` in a response of HTTP 200). */
  refusal(body: unknown): ServiceApiError {
    return apiError(this.#call, this.response, body);
  }

  /** Returns the error for a body that is not a response of the service. */
  unexpected(reason: UnexpectedResponseReason, text: string): UnexpectedResponseError {
    return unexpectedResponseError(this.#call, this.response, { reason, text });
  }

  /** Returns the error for a body that cannot be read: the caller's own `fetch` may return anything. */
  misconfigured(error: unknown): ServiceApiError {
    return callbackError(this.#call, error);
  }

  /** Summarizes, without secrets, the error with which a body broke off. */
  summarize(error: unknown): Error | undefined {
    return summarize(error, this.#call.secrets);
  }

  /** Returns the issues of the fields of an event that repeat another request. */
  echoes(event: unknown): readonly Issue[] {
    return readEchoes({ ...this.#call, body: this.#sent }, event).warned;
  }

  /** Removes secrets from a parsed event, which is changed in place, or from a string of it. */
  redact(body: unknown): unknown {
    return redactJson(body, this.#call.secrets);
  }

  /** Reports to `onEvent` and the log. */
  report(event: EventDetails): void {
    this.#reporter?.report(event);
  }
}
