import { ApiError } from "../../errors/api.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import {
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "../../errors/stream.ts";
import { namingRequest } from "../../transport/errors/details.ts";

/** The state of a stream: see {@link AiStream.state}. */
export type StreamState = "idle" | "streaming" | "completed" | "failed" | "truncated" | "stalled" | "aborted";

/** The deadlines that end a stream (docs/assumptions.md, D2 and D3). */
export type StreamDeadline = "idle" | "event" | "stream";

/** The end of a stream (docs/assumptions.md, I4), or of a response that is not a stream. */
export type StreamEnding =
  | { readonly end: "completed" }
  | { readonly end: "failed" | "refused"; readonly error: ServiceApiError }
  | { readonly end: "damaged"; readonly why: string; readonly body: unknown }
  | { readonly end: "tooLarge"; readonly limit: number }
  | { readonly end: "unfinished"; readonly cause: Error | undefined }
  | { readonly end: "truncated"; readonly cause?: Error | undefined }
  | { readonly end: "stalled"; readonly deadline: StreamDeadline; readonly timeout: number }
  | { readonly end: "aborted" };

/** The end of a stream that did not complete. */
export type FailedEnding = Exclude<StreamEnding, { readonly end: "completed" }>;

/** The details that all errors of a stream share. */
type SharedDetails = Omit<StreamErrorDetails, "message" | "cause">;

/** The state after each ending, which is also its name in `onEvent`. */
export const stateOf = {
  completed: "completed",
  failed: "failed",
  damaged: "failed",
  tooLarge: "failed",
  unfinished: "failed",
  refused: "failed",
  truncated: "truncated",
  stalled: "stalled",
  aborted: "aborted",
} as const satisfies Record<StreamEnding["end"], StreamState>;

/**
 * Returns the error of a stream that did not complete (docs/assumptions.md, I4). Of what was received, its message
 * shows the code of a refusal alone.
 *
 * @param hasBegun - Whether a token or a chunk of the response has come.
 * @param reason - That of the caller who aborted the stream.
 */
export function streamError(
  ending: FailedEnding,
  shared: SharedDetails,
  hasBegun: boolean,
  reason: unknown,
): ServiceApiError {
  const { operation, events, outcome, requestId } = shared;
  const details = (happened: string) => ({
    ...shared,
    message: `${operation}: after ${events} ${events === 1 ? "event" : "events"}, ${happened} \`partialText\` and \`contextToken\` hold what was received.${namingRequest(requestId)}`,
  });
  switch (ending.end) {
    case "refused":
      return ending.error;
    case "failed": {
      const { error } = ending;
      const { statusCode, serviceMessage, body } = ApiError.isInstance(error) ? error : {};
      const code = statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
      return new StreamFailedError({
        ...details(`the service reported FAILED${code}.`),
        // A generation that has begun is not undone by its failure.
        outcome: hasBegun ? outcome : error.outcome,
        reason: "failed",
        statusCode,
        serviceMessage,
        body,
      });
    }
    case "damaged": {
      const { why, body } = ending;
      return new StreamFailedError({ ...details(`an event could not be read: ${why}.`), reason: "damagedEvent", body });
    }
    case "tooLarge": {
      const happened = `an event was larger than ${ending.limit} bytes. Raise \`stream.maxEventBytes\` if you expect such events.`;
      return new StreamFailedError({ ...details(happened), reason: "tooLarge", body: undefined });
    }
    case "unfinished": {
      const happened = "`onFinish` failed, and the completed response was not passed on.";
      return new StreamFailedError({ ...details(happened), reason: "onFinish", body: undefined, cause: ending.cause });
    }
    case "truncated":
      return new StreamTruncatedError({
        ...details("the response ended before response_completed."),
        cause: ending.cause,
      });
    case "stalled": {
      const { deadline, timeout } = ending;
      const [what, option] = stalls[deadline];
      const happened = `${what} within ${timeout} ms (\`${option}\`).`;
      return new StreamStalledError({ ...details(happened), deadline, timeout });
    }
    case "aborted":
      return new AbortError({ ...details("the caller aborted the stream."), phase: "stream", reason });
  }
}

/** The failure by each deadline, and the option that sets it. */
const stalls: Readonly<Record<StreamDeadline, readonly [what: string, option: string]>> = {
  idle: ["no bytes arrived", "stream.idleTimeout"],
  event: ["no event arrived", "stream.eventTimeout"],
  stream: ["the response was not complete", "stream.timeout"],
};
