import { type DetailsOf, type ErrorDetails, ServiceApiError, type ValidationIssue } from "./base.ts";
import { prettyIssues } from "./issues.ts";

/**
 * The client, an operation or an option is not set up correctly, or a schema or function that you passed threw. Nothing
 * was sent unless `outcome` is `unknown`. The message says what to change.
 */
export class ConfigurationError extends ServiceApiError {
  static override readonly title: string = "ConfigurationError";
  declare readonly kind: "configuration";

  constructor(message: string, details: Omit<ErrorDetails, "message"> = {}) {
    super("configuration", { ...details, message });
  }
}

/** The request broke a rule of the service's document (§4, §8); nothing was sent. */
export class RequestValidationError extends ServiceApiError {
  static override readonly title: string = "RequestValidationError";
  declare readonly kind: "request_validation";

  /** Every broken rule, with its path. */
  declare readonly issues: readonly ValidationIssue[];

  constructor(details: DetailsOf<RequestValidationError>) {
    super("request_validation", details);
  }

  /** Formats the issues for a terminal, one a line. */
  pretty(): string {
    return prettyIssues(this.issues, "params");
  }
}

/**
 * Returns the error of a request that one part of it keeps from being sent: a quote, or data that was saved, may do so.
 *
 * @param owner - The function that was called, for the message.
 */
export function refusedRequest(
  owner: string,
  part: string,
  code: string,
  message: string,
  operation?: string,
): RequestValidationError {
  return new RequestValidationError({
    message: `${owner}: ${part === "" ? "" : `\`${part}\` `}${message} Nothing was sent.`,
    operation,
    issues: [{ path: part === "" ? [] : [part], message: message.replace(/\.$/, ""), code }],
  });
}

/** There was no connection, or it broke before the response began. `outcome` says whether the request was sent. */
export class ConnectionError extends ServiceApiError {
  static override readonly title: string = "ConnectionError";
  declare readonly kind: "connection";

  /** The error code of the runtime, such as `ECONNREFUSED`, if it has one. */
  declare readonly code: string | undefined;

  constructor(details: DetailsOf<ConnectionError>) {
    super("connection", details);
  }
}

/**
 * A deadline of a call (docs/assumptions.md, D1 and D2): `timeout`, `totalTimeout`, or `stream.timeout` before the
 * response began.
 */
export type Deadline = "attempt" | "total" | "stream";
/** The step of a call that was interrupted. */
export type Phase = "credentials" | "headers" | "body" | "backoff";

/**
 * A deadline expired: `deadline` says which, `phase` during which step. `outcome` says whether the request was sent.
 */
export class TimeoutError extends ServiceApiError {
  static override readonly title: string = "TimeoutError";
  declare readonly kind: "timeout";

  /** The deadline that expired. */
  declare readonly deadline: Deadline;
  /** The step during which it expired. */
  declare readonly phase: Phase;
  /** Length of the deadline in milliseconds. */
  declare readonly timeout: number;

  constructor(details: DetailsOf<TimeoutError>) {
    super("timeout", details);
  }
}

/** The caller's own `signal` aborted the call. `outcome` says whether the request was sent. */
export class AbortError extends ServiceApiError {
  static override readonly title: string = "AbortError";
  declare readonly kind: "abort";

  /** The step during which it was aborted. */
  declare readonly phase: Phase | "stream";
  /** The reason that was passed to `controller.abort(reason)`. */
  declare readonly reason: unknown;
  /** The text received before the abort, if the call was a stream. */
  declare readonly partialText: string | undefined;
  /** The `context_token` received before the abort, if the call was a stream. */
  declare readonly contextToken: string | undefined;
  /** The number of events that had been read, if the call was a stream. */
  declare readonly events: number | undefined;

  constructor(details: DetailsOf<AbortError>) {
    super("abort", details, ["reason", "partialText", "contextToken"]);
  }
}

/** The body is not a response of this service: not JSON, HTML of a gateway, cut short, or too large. See `preview`. */
export class UnexpectedResponseError extends ServiceApiError {
  static override readonly title: string = "UnexpectedResponseError";
  declare readonly kind: "unexpected_response";

  /** Why it is not a response of this service. */
  declare readonly reason: UnexpectedResponseReason;
  /** HTTP status of the response. */
  declare readonly httpStatus: number;
  /** The header `content-type`, if there is one. */
  declare readonly contentType: string | undefined;
  /** Milliseconds after which the service, or a gateway before it, asks to be called again (`Retry-After`). */
  declare readonly retryAfter: number | undefined;
  /** The first 200 characters of the body. */
  declare readonly preview: string;
  /** The body, unchanged except for secrets: parsed if it was JSON, else its text. */
  declare readonly body: unknown;
  /** The headers of the response. */
  declare readonly headers: Headers;

  constructor(details: DetailsOf<UnexpectedResponseError>) {
    super("unexpected_response", details, ["preview", "body", "headers"]);
  }
}

/** Why a body is not a response of this service. */
export type UnexpectedResponseReason =
  | "empty"
  | "html"
  | "notJson"
  | "notObject"
  | "cut"
  | "tooLarge"
  | "badEncoding"
  | "repeatedName"
  | "successUnderErrorStatus";

/**
 * The response is JSON but lacks an essential field, or belongs to another request (docs/assumptions.md, A4). `reason`
 * and `issues` say which, and `body` holds it whole.
 */
export class ResponseValidationError extends ServiceApiError {
  static override readonly title: string = "ResponseValidationError";
  declare readonly kind: "response_validation";

  /** Why it was refused. */
  declare readonly reason: ResponseValidationReason;
  /** Everything that differs from the document, or from the request. */
  declare readonly issues: readonly ValidationIssue[];
  /** HTTP status of the response. */
  declare readonly httpStatus: number | undefined;
  /** The body, unchanged except for secrets. */
  declare readonly body: unknown;

  constructor({ reason = "form", ...details }: DetailsOf<ResponseValidationError, "reason">) {
    super("response_validation", { ...details, reason } as ErrorDetails, ["body"]);
  }

  /** Formats the issues for a terminal, one a line. */
  pretty(): string {
    return prettyIssues(this.issues, "the body");
  }
}

/**
 * Why a response was refused. `form`: it does not have the documented form. `otherRequest`: it repeats another mobile
 * number, `trace_id` or reference than was sent, so it belongs to another request. Do not use its `body`.
 */
export type ResponseValidationReason = "form" | "otherRequest";
