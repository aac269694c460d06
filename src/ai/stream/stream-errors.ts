import { ApiError } from "../../errors/api.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import {
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "../../errors/stream.ts";
import type { StreamDeadline } from "./deadlines.ts";

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
export type FailedEnding = Exclude<StreamEnding, { readonly end: "completed" }>;

/** The details that all errors of a stream share. */
export type StreamContext = Omit<StreamErrorDetails, "message" | "cause"> & { readonly hasBegun: boolean };

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

/**
 * Returns the error of a stream that did not complete (docs/assumptions.md, I4). Its message shows nothing of what was
 * received.
 */
export function streamError(ending: FailedEnding, context: StreamContext, reason: unknown): ServiceApiError {
  if (ending.end === "refused") return ending.error;
  const { operation, events } = context;
  const start = `${operation}: after ${events} ${events === 1 ? "event" : "events"},`;
  const message = `${start} ${happened(ending)} \`partialText\` and \`contextToken\` hold what was received.`;
  const details = { ...context, message };
  switch (ending.end) {
    case "failed":
      // A generation that has begun is not undone by its failure.
      return failedError(ending.refusal, context.hasBegun ? details : { ...details, outcome: ending.refusal.outcome });
    case "damaged":
      return new StreamFailedError({ ...details, reason: "damagedEvent", body: ending.body });
    case "tooLarge":
      return new StreamFailedError({ ...details, reason: "tooLarge", body: undefined });
    case "truncated":
      return new StreamTruncatedError({ ...details, cause: ending.cause });
    case "stalled":
      return new StreamStalledError({ ...details, deadline: ending.deadline, timeout: ending.timeout });
    case "aborted":
      return new AbortError({ ...details, phase: "stream", reason });
  }
}

function happened(ending: Exclude<FailedEnding, { readonly end: "refused" }>): string {
  switch (ending.end) {
    case "failed":
      return `the service reported FAILED${statusCodeInWords(ending.refusal)}.`;
    case "damaged":
      return `an event could not be read: ${ending.why}.`;
    case "tooLarge":
      return `an event was larger than ${ending.limit} bytes. Raise \`stream.maxEventBytes\` if you expect such events.`;
    case "truncated":
      return "the response ended before response_completed.";
    case "stalled": {
      const [what, option] = stalls[ending.deadline];
      return `${what} within ${ending.timeout} ms (\`${option}\`).`;
    }
    case "aborted":
      return "the caller aborted the stream.";
  }
}

/** The failure by each deadline, and the option that sets it. */
const stalls: Readonly<Record<StreamDeadline, readonly [what: string, option: string]>> = {
  idle: ["no bytes arrived", "stream.idleTimeout"],
  event: ["no event arrived", "stream.eventTimeout"],
  stream: ["the response was not complete", "stream.timeout"],
};

function statusCodeInWords(refusal: ServiceApiError): string {
  const { statusCode } = ApiError.isInstance(refusal) ? refusal : {};
  return statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
}

function failedError(refusal: ServiceApiError, details: StreamErrorDetails): StreamFailedError {
  const { statusCode, serviceMessage, body } = ApiError.isInstance(refusal) ? refusal : {};
  return new StreamFailedError({ ...details, reason: "failed", statusCode, serviceMessage, body });
}
