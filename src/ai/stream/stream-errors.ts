import type { ApiError } from "../../errors/api.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import {
  type StreamErrorDetails,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
} from "../../errors/stream.ts";
import { stringOf } from "../../shared/json.ts";
import { namingRequest } from "../../transport/request-id.ts";
import { chunkOf, fullTextOf } from "../events.ts";

/** The state of a stream: see {@link AiStream.state}. */
export type StreamState = "idle" | "streaming" | "completed" | "failed" | "truncated" | "stalled" | "aborted";

/** The details that all errors of a stream share. */
type SharedDetails = Omit<StreamErrorDetails, "message" | "cause">;

/** The end of a stream that did not complete (docs/assumptions.md, I4), or of a response that is not a stream. */
export type FailedEnding =
  /** The call failed, and not the stream. */
  { readonly state: "failed" | "aborted"; readonly error: ServiceApiError } | FailedStream;

/** The end of a stream that has begun, or that was left before. */
export type FailedStream =
  /** The service reported in the stream that the generation failed. */
  | { readonly state: "failed"; readonly refusal: ApiError }
  | {
      readonly state: "failed";
      readonly reason: Exclude<StreamFailedError["reason"], "failed">;
      readonly happened: string;
      readonly body?: unknown;
      readonly cause?: Error | undefined;
    }
  | { readonly state: "truncated"; readonly cause?: Error | undefined }
  | ({ readonly state: "stalled" } & Pick<StreamStalledError, "deadline" | "timeout">)
  | { readonly state: "aborted"; readonly reason: unknown };

export type StreamEnding = FailedEnding | { readonly state: "completed" };

/** The failure by each deadline (docs/assumptions.md, D2 and D3), and the option that sets it. */
const stalls: Readonly<Record<StreamStalledError["deadline"], readonly [what: string, option: string]>> = {
  idle: ["no bytes arrived", "stream.idleTimeout"],
  event: ["no event arrived", "stream.eventTimeout"],
  stream: ["the response was not complete", "stream.timeout"],
};

/**
 * Returns the error of a stream that did not complete. Of what was received, its message shows the code of a refusal
 * alone.
 *
 * @param hasBegun - Whether a token or a chunk of the response has come.
 */
export function streamError(ending: FailedStream, shared: SharedDetails, hasBegun: boolean): ServiceApiError {
  const { operation, events, requestId, outcome } = shared;
  const details = (happened: string) => ({
    ...shared,
    message: `${operation}: after ${events} ${events === 1 ? "event" : "events"}, ${happened} \`partialText\` and \`contextToken\` hold what was received.${namingRequest(requestId)}`,
  });
  switch (ending.state) {
    case "truncated":
      return new StreamTruncatedError({
        ...details("the response ended before response_completed."),
        cause: ending.cause,
      });
    case "stalled": {
      const { deadline, timeout } = ending;
      const [what, option] = stalls[deadline];
      return new StreamStalledError({ ...details(`${what} within ${timeout} ms (\`${option}\`).`), deadline, timeout });
    }
    case "aborted": {
      const [phase, when] =
        outcome === "notSent" ? (["credentials", " before it was sent"] as const) : (["stream", ""] as const);
      return new AbortError({ ...details(`the caller aborted the stream${when}.`), phase, reason: ending.reason });
    }
  }
  if ("happened" in ending) {
    const { happened, reason, body, cause } = ending;
    return new StreamFailedError({ ...details(happened), reason, body, cause });
  }
  const { refusal } = ending;
  const { statusCode, serviceMessage, body } = refusal;
  // The event that says so may hold a part of the response.
  const last = Object(body);
  const partialText = shared.partialText + chunkOf(last) || fullTextOf(last);
  const contextToken = shared.contextToken ?? (stringOf(last.context_token) || undefined);
  const code = statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
  return new StreamFailedError({
    ...details(`the service reported FAILED${code}.`),
    ...{ partialText, contextToken },
    // A generation that has begun is not undone by its failure.
    outcome: hasBegun || partialText !== "" || contextToken !== undefined ? outcome : refusal.outcome,
    ...{ reason: "failed", statusCode, serviceMessage, body },
  });
}
