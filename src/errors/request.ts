import { defineHidden, type ErrorDetails, type Issue, ServiceApiError } from "./base.ts";
import { prettyIssues } from "./issues.ts";
import type { Received } from "./stream.ts";

/** The client was set up in a way that cannot work; nothing was sent. The message says what to change. */
export class ConfigurationError extends ServiceApiError {
  override get name(): string {
    return "ConfigurationError";
  }
  declare readonly kind: "configuration";

  constructor(message: string, details: Omit<ErrorDetails, "message"> = {}) {
    super("configuration", { ...details, message });
  }
}

/** The request broke a rule of the service's document (§4, §8); nothing was sent. */
export class RequestValidationError extends ServiceApiError {
  override get name(): string {
    return "RequestValidationError";
  }
  declare readonly kind: "request_validation";

  /** Every broken rule, each with its place. */
  readonly issues: readonly Issue[];

  constructor(details: ErrorDetails & { readonly issues: readonly Issue[] }) {
    super("request_validation", details);
    this.issues = details.issues;
  }

  /** The issues as text, one a line, for a terminal. */
  pretty(): string {
    return prettyIssues(this.issues, "params");
  }
}

/** No connection, or one that broke before the answer was whole. `outcome` says whether the request was sent. */
export class ConnectionError extends ServiceApiError {
  override get name(): string {
    return "ConnectionError";
  }
  declare readonly kind: "connection";

  /** What the runtime called it, such as `ECONNREFUSED`, where it says. */
  readonly code: string | undefined;

  constructor(details: ErrorDetails & { readonly code?: string | undefined }) {
    super("connection", details);
    this.code = details.code;
  }
}

/** Which deadline ran out (docs/assumptions.md, D1 and D2): `timeout`, `totalTimeout`, or `streamTimeout` before the answer began. */
export type Deadline = "attempt" | "total" | "stream";
/** How far the call had come. */
export type Phase = "credentials" | "headers" | "body" | "backoff";

/** A deadline ran out. */
export class TimeoutError extends ServiceApiError {
  override get name(): string {
    return "TimeoutError";
  }
  declare readonly kind: "timeout";

  /** The deadline that ran out. */
  readonly deadline: Deadline;
  /** What the call was waiting for. */
  readonly phase: Phase;
  /** The deadline's length in milliseconds. */
  readonly timeout: number;

  constructor(
    details: ErrorDetails & { readonly deadline: Deadline; readonly phase: Phase; readonly timeout: number },
  ) {
    super("timeout", details);
    this.deadline = details.deadline;
    this.phase = details.phase;
    this.timeout = details.timeout;
  }
}

/** The caller's own signal ended the call. */
export class AbortError extends ServiceApiError {
  override get name(): string {
    return "AbortError";
  }
  declare readonly kind: "abort";

  /** What the call was doing. */
  readonly phase: Phase | "stream";
  /** What was given to `controller.abort(reason)`. */
  declare readonly reason: unknown;
  /** The text received before the abort, when the call was a stream. */
  declare readonly partialText: string | undefined;
  /** The `context_token` seen before the abort, if the call was a stream. */
  declare readonly contextToken: string | undefined;
  /** How many events had been read, when the call was a stream. */
  readonly events: number | undefined;

  constructor(
    details: ErrorDetails & {
      readonly phase: Phase | "stream";
      readonly reason?: unknown;
    } & Partial<Received>,
  ) {
    super("abort", details);
    this.phase = details.phase;
    this.events = details.events;
    defineHidden(this, {
      reason: details.reason,
      partialText: details.partialText,
      contextToken: details.contextToken,
    });
  }
}

/** What came was not an answer of this service: not JSON, HTML from a gateway, cut short, or too large. */
export class UnexpectedResponseError extends ServiceApiError {
  override get name(): string {
    return "UnexpectedResponseError";
  }
  declare readonly kind: "unexpected_response";

  /** Why it could not be taken for an answer. */
  readonly reason: UnexpectedResponseReason;
  /** HTTP status of what came. */
  readonly httpStatus: number;
  /** The header `content-type`, where there is one. */
  readonly contentType: string | undefined;
  /** Milliseconds after which the service, or a gateway before it, asks to be called again (`Retry-After`). */
  readonly retryAfter: number | undefined;
  /** The first 200 characters of what came. */
  declare readonly preview: string;
  /** The body as it came: parsed when it was JSON, else its text. */
  declare readonly body: unknown;
  /** The headers of what came. */
  declare readonly headers: Headers;

  constructor(
    details: ErrorDetails & {
      readonly reason: UnexpectedResponseReason;
      readonly httpStatus: number;
      readonly contentType: string | undefined;
      readonly retryAfter?: number | undefined;
      readonly preview: string;
      readonly body: unknown;
      readonly headers: Headers;
    },
  ) {
    super("unexpected_response", details);
    this.reason = details.reason;
    this.httpStatus = details.httpStatus;
    this.contentType = details.contentType;
    this.retryAfter = details.retryAfter;
    defineHidden(this, { preview: details.preview, body: details.body, headers: details.headers });
  }
}

/** Why an answer could not be taken for one. */
export type UnexpectedResponseReason =
  | "empty"
  | "html"
  | "notJson"
  | "notObject"
  | "cut"
  | "tooLarge"
  | "badEncoding"
  | "successUnderErrorStatus";

/** The answer is JSON but lacks what the caller came for (docs/assumptions.md, A4). `body` holds it whole. */
export class ResponseValidationError extends ServiceApiError {
  override get name(): string {
    return "ResponseValidationError";
  }
  declare readonly kind: "response_validation";

  /** Everything that differs from the document. */
  readonly issues: readonly Issue[];
  /** HTTP status of the response. */
  readonly httpStatus: number | undefined;
  /** The answer as it came. */
  declare readonly body: unknown;

  constructor(
    details: ErrorDetails & {
      readonly issues: readonly Issue[];
      readonly httpStatus?: number | undefined;
      readonly body: unknown;
    },
  ) {
    super("response_validation", details);
    this.issues = details.issues;
    this.httpStatus = details.httpStatus;
    defineHidden(this, { body: details.body });
  }

  /** The issues as text, one a line, for a terminal. */
  pretty(): string {
    return prettyIssues(this.issues, "the body");
  }
}
