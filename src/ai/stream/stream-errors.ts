import { ApiError } from "../../errors/api.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import {
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "../../errors/stream.ts";
import type { Ending } from "./event-decoder.ts";

/** How a stream stands, as {@link AiStream.state} tells it. */
export type StreamState = "idle" | "streaming" | "completed" | "failed" | "truncated" | "stalled" | "aborted";

/** What every error of a stream carries. */
export type StreamContext = Omit<StreamErrorDetails, "message" | "cause">;

type Unhappy = Exclude<Ending, { readonly end: "completed" }>;

/** The state that an ending leads to, and the name under which `onEvent` is told of it. */
export const stateAfter = {
  completed: "completed",
  failed: "failed",
  damaged: "failed",
  tooLarge: "failed",
  refused: "failed",
  truncated: "truncated",
  stalled: "stalled",
  aborted: "aborted",
} as const satisfies Record<Ending["end"], StreamState>;

/** The error of a stream that did not complete (docs/assumptions.md, I4). No message shows anything of what was received. */
export function streamError(ending: Unhappy, context: StreamContext, reason: unknown): ServiceApiError {
  const start = `${context.operation}: after ${context.events} ${context.events === 1 ? "event" : "events"},`;
  const kept = "partialText and contextToken hold what was received.";
  switch (ending.end) {
    case "refused":
      return ending.error;
    case "failed":
      return failed(ending.refusal, context, `${start} the service said FAILED`, kept);
    case "damaged":
      return new StreamFailedError({
        ...context,
        message: `${start} one came that cannot be read: ${ending.why}. ${kept}`,
        reason: "damagedEvent",
        body: ending.body,
      });
    case "tooLarge":
      return new StreamFailedError({
        ...context,
        message: `${start} one came that is larger than ${ending.limit} bytes. Raise maxEventBytes if that is right; ${kept}`,
        reason: "tooLarge",
        body: undefined,
      });
    case "truncated":
      return new StreamTruncatedError({
        ...context,
        message: `${start} the answer ended before response_completed. ${kept}`,
        cause: ending.cause,
      });
    case "stalled":
      return new StreamStalledError({
        ...context,
        message: `${start} ${stalls[ending.deadline]} within ${ending.timeout} ms (${ending.deadline}Timeout). ${kept}`,
        deadline: ending.deadline,
        timeout: ending.timeout,
      });
    case "aborted":
      return new AbortError({
        ...context,
        message: `${start} aborted by the caller. ${kept}`,
        phase: "stream",
        reason,
      });
  }
}

const stalls = { idle: "no byte came", event: "no event came", stream: "the answer was not complete" } as const;

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
