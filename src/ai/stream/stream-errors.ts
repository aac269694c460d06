import { ApiError } from "../../errors/api.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import {
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "../../errors/stream.ts";
import type { StreamDeadline } from "./timeouts.ts";

/** The state of a stream: see {@link AiStream.state}. */
export type StreamState = "idle" | "streaming" | "completed" | "failed" | "truncated" | "stalled" | "aborted";

/** The end of a stream: one of its five endings (docs/assumptions.md, I4), or a response that is not a stream. */
export type StreamEnding =
  | { readonly end: "completed" }
  | { readonly end: "failed"; readonly refusal: ServiceApiError }
  | { readonly end: "damaged"; readonly why: string; readonly body: unknown }
  | { readonly end: "tooLarge"; readonly limit: number }
  | { readonly end: "truncated"; readonly cause?: Error | undefined }
  | { readonly end: "stalled"; readonly deadline: StreamDeadline; readonly timeout: number }
  | { readonly end: "aborted" }
  | { readonly end: "refused"; readonly error: ServiceApiError };

/** The end of a stream that did not complete. */
export type Failure = Exclude<StreamEnding, { readonly end: "completed" }>;

/** The details that all errors of a stream share. */
export type StreamContext = Omit<StreamErrorDetails, "message" | "cause">;

/** The state after each ending, which is also its name in `onEvent`. */
export const stateOf = {
  completed: "completed",
  failed: "failed",
  damaged: "failed",
  tooLarge: "failed",
  refused: "failed",
  truncated: "truncated",
  stalled: "stalled",
  aborted: "aborted",
} as const satisfies Record<StreamEnding["end"], StreamState>;

/** Returns the error of a stream that did not complete (docs/assumptions.md, I4). Its message shows nothing of what was received. */
export function streamError(ending: Failure, context: StreamContext, reason: unknown): ServiceApiError {
  const start = `${context.operation}: after ${context.events} ${context.events === 1 ? "event" : "events"},`;
  const kept = "`partialText` and `contextToken` hold what was received.";
  switch (ending.end) {
    case "refused":
      return ending.error;
    case "failed":
      return failed(ending.refusal, context, `${start} the service reported FAILED`, kept);
    case "damaged":
      return new StreamFailedError({
        ...context,
        message: `${start} an event could not be read: ${ending.why}. ${kept}`,
        reason: "damagedEvent",
        body: ending.body,
      });
    case "tooLarge":
      return new StreamFailedError({
        ...context,
        message: `${start} an event was larger than ${ending.limit} bytes. Raise \`maxEventBytes\` if you expect such events. ${kept}`,
        reason: "tooLarge",
        body: undefined,
      });
    case "truncated":
      return new StreamTruncatedError({
        ...context,
        message: `${start} the response ended before response_completed. ${kept}`,
        cause: ending.cause,
      });
    case "stalled":
      return new StreamStalledError({
        ...context,
        message: `${start} ${stalls[ending.deadline]} within ${ending.timeout} ms (\`${ending.deadline}Timeout\`). ${kept}`,
        deadline: ending.deadline,
        timeoutMs: ending.timeout,
      });
    case "aborted":
      return new AbortError({
        ...context,
        message: `${start} the caller aborted the stream. ${kept}`,
        phase: "stream",
        reason,
      });
  }
}

const stalls = {
  idle: "no bytes arrived",
  event: "no event arrived",
  stream: "the response was not complete",
} as const;

function failed(refusal: ServiceApiError, context: StreamContext, what: string, kept: string): ServiceApiError {
  const { statusCode, serviceMessage, body } = ApiError.isInstance(refusal) ? refusal : {};
  const code = statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
  return new StreamFailedError({
    ...context,
    message: `${what}${code}. ${kept}`,
    outcome: "rejected",
    reason: "failed",
    statusCode,
    serviceMessage,
    body,
  });
}
