import { type DetailsOf, ServiceApiError } from "./base.ts";

/** The part of a stream that was received before it ended. */
export type PartialStream = Pick<StreamError, "partialText" | "contextToken" | "events">;

/**
 * An AI stream ended before `response_completed`; nothing that was received is lost.
 *
 * `console.log` and `JSON.stringify` leave out `partialText` and `contextToken`: the text may be personal, and anyone
 * with the token can continue the conversation.
 */
export class StreamError extends ServiceApiError {
  static override readonly title: string = "StreamError";
  declare readonly kind: "stream_truncated" | "stream_stalled" | "stream_failed";

  /** The text received before the end, up to `stream.maxEventBytes` characters of it. */
  declare readonly partialText: string;
  /** The `context_token` of the response, if an event announced it. */
  declare readonly contextToken: string | undefined;
  /** The number of events that were received. */
  declare readonly events: number;

  constructor(kind: StreamError["kind"], details: DetailsOf<StreamError>, hidden: readonly string[] = []) {
    super(kind, { outcome: "unknown", ...details }, ["partialText", "contextToken", ...hidden]);
  }
}

/** The connection ended before `response_completed` arrived. */
export class StreamTruncatedError extends StreamError {
  static override readonly title: string = "StreamTruncatedError";
  declare readonly kind: "stream_truncated";

  constructor(details: DetailsOf<StreamError>) {
    super("stream_truncated", details);
  }
}

/** The stream stalled: no bytes (`idle`), no event (`event`), or it did not end in time (`stream`). */
export class StreamStalledError extends StreamError {
  static override readonly title: string = "StreamStalledError";
  declare readonly kind: "stream_stalled";

  /** The deadline that expired. */
  declare readonly deadline: "idle" | "event" | "stream";
  /** Length of the deadline in milliseconds. */
  declare readonly timeout: number;

  constructor(details: DetailsOf<StreamStalledError>) {
    super("stream_stalled", details);
  }
}

/**
 * The service reported in the stream that the generation failed, or sent an event that cannot be read. After a token or
 * a chunk its `outcome` is `unknown`; before, that of the refusal.
 */
export class StreamFailedError extends StreamError {
  static override readonly title: string = "StreamFailedError";
  declare readonly kind: "stream_failed";

  /**
   * `failed`: the service reported it. `damagedEvent`: an event was not JSON, not of its shape or, with
   * `validation: { response: "strict" }`, of another conversation. `tooLarge`: one exceeded `stream.maxEventBytes`. `textMismatch`: the completed text, which
   * counts, is not that of the chunks that a relay had passed on. `onFinish`: that option of a relay threw, or `relayTurn`
   * could not save the turn; its error is the `cause`.
   */
  declare readonly reason: "failed" | "damagedEvent" | "tooLarge" | "textMismatch" | "onFinish";
  /** `status_code` of the failing event. */
  declare readonly statusCode: string | undefined;
  /** The failing event's own `message`. */
  declare readonly serviceMessage: string | undefined;
  /**
   * The failing event, unchanged except for secrets: parsed if it was JSON, else its text; undefined if it was too
   * large.
   */
  declare readonly body: unknown;

  constructor(details: DetailsOf<StreamFailedError>) {
    super("stream_failed", details, ["body"]);
  }
}
