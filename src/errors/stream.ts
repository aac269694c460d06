import { defineHidden, type ErrorDetails, type ErrorKind, ServiceApiError } from "./base.ts";

/** What was received of a stream that did not complete. */
export interface Received {
  /** The text received before the end. */
  readonly partialText: string;
  /** The `context_token` of the response, if an event had announced it. */
  readonly contextToken: string | undefined;
  /** How many events had been read. */
  readonly events: number;
}

/** What every stream error carries. */
export interface StreamErrorDetails extends ErrorDetails, Received {}

/**
 * An AI stream ended before `response_completed`; nothing that was received is lost.
 *
 * `partialText` and `contextToken` are properties that `console.log` and `JSON.stringify` leave out: the text may be
 * personal, and whoever has the token can continue the conversation.
 */
export class StreamError extends ServiceApiError {
  override get name(): string {
    return "StreamError";
  }
  declare readonly kind: "stream_truncated" | "stream_stalled" | "stream_failed";

  /** The text received before the end. */
  declare readonly partialText: string;
  /** The `context_token` of the response, if an event had announced it. */
  declare readonly contextToken: string | undefined;
  /** How many events had been read. */
  readonly events: number;

  constructor(
    kind: Extract<ErrorKind, "stream_truncated" | "stream_stalled" | "stream_failed">,
    details: StreamErrorDetails,
  ) {
    super(kind, { outcome: "unknown", ...details });
    this.events = details.events;
    defineHidden(this, { partialText: details.partialText, contextToken: details.contextToken });
  }
}

/** The connection ended before `response_completed` arrived. */
export class StreamTruncatedError extends StreamError {
  override get name(): string {
    return "StreamTruncatedError";
  }
  declare readonly kind: "stream_truncated";

  constructor(details: StreamErrorDetails) {
    super("stream_truncated", details);
  }
}

/** The stream went silent: no bytes (`idle`), no event (`event`), or not over in time (`stream`). */
export class StreamStalledError extends StreamError {
  override get name(): string {
    return "StreamStalledError";
  }
  declare readonly kind: "stream_stalled";

  /** The deadline that ran out. */
  readonly deadline: "idle" | "event" | "stream";
  /** The deadline's length in milliseconds. */
  readonly timeout: number;

  constructor(
    details: StreamErrorDetails & { readonly deadline: "idle" | "event" | "stream"; readonly timeout: number },
  ) {
    super("stream_stalled", details);
    this.deadline = details.deadline;
    this.timeout = details.timeout;
  }
}

/** The service said in the stream that the generation failed, or sent an event that cannot be read. */
export class StreamFailedError extends StreamError {
  override get name(): string {
    return "StreamFailedError";
  }
  declare readonly kind: "stream_failed";

  /** `failed`: the service said so. `damagedEvent`: an event was not JSON or not of its shape. `tooLarge`: one exceeded `maxEventBytes`. */
  readonly reason: "failed" | "damagedEvent" | "tooLarge";
  /** `status_code` of the failing event. */
  readonly statusCode: string | undefined;
  /** The failing event's own `message`. */
  readonly serviceMessage: string | undefined;
  /** The failing event as it came: parsed when it was JSON, else its text; undefined where it was too large. */
  declare readonly body: unknown;

  constructor(
    details: StreamErrorDetails & {
      readonly reason: "failed" | "damagedEvent" | "tooLarge";
      readonly statusCode?: string | undefined;
      readonly serviceMessage?: string | undefined;
      readonly body: unknown;
    },
  ) {
    super("stream_failed", details);
    this.reason = details.reason;
    this.statusCode = details.statusCode;
    this.serviceMessage = details.serviceMessage;
    defineHidden(this, { body: details.body });
  }
}
