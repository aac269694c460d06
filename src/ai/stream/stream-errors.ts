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

/** The details that all errors of a stream share. */
type SharedDetails = Omit<StreamErrorDetails, "message" | "cause">;

/** The end of a stream that did not complete (docs/assumptions.md, I4), or of a response that is not a stream. */
export interface FailedEnding {
  readonly state: Exclude<StreamState, "idle" | "streaming" | "completed">;
  /**
   * Makes the error. Of what was received, its message shows the code of a refusal alone.
   *
   * @param hasBegun - Whether a token or a chunk of the response has come.
   */
  error(shared: SharedDetails, hasBegun: boolean): ServiceApiError;
}

export const completed = { state: "completed" } as const;

export type StreamEnding = FailedEnding | typeof completed;

/** The call failed, and not the stream. */
export function refused(error: ServiceApiError): FailedEnding {
  return { state: AbortError.isInstance(error) ? "aborted" : "failed", error: () => error };
}

/** The service reported in the stream that the generation failed. */
export function failed(error: ServiceApiError): FailedEnding {
  const { statusCode, serviceMessage, body } = ApiError.isInstance(error) ? error : {};
  const code = statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
  return ending("failed", `the service reported FAILED${code}.`, (details, hasBegun) => {
    // A generation that has begun is not undone by its failure.
    const outcome = hasBegun ? details.outcome : error.outcome;
    return new StreamFailedError({ ...details, outcome, reason: "failed", statusCode, serviceMessage, body });
  });
}

/** An event cannot be read or written. `why` never quotes it. */
export function damaged(why: string, body?: unknown): FailedEnding {
  return broken("damagedEvent", `an event could not be read: ${why}.`, { body });
}

/** The stream cannot be read or passed on any further. */
export function broken(
  reason: Exclude<StreamFailedError["reason"], "failed">,
  happened: string,
  { body, cause }: { readonly body?: unknown; readonly cause?: Error | undefined } = {},
): FailedEnding {
  return ending("failed", happened, (details) => new StreamFailedError({ ...details, reason, body, cause }));
}

export function truncated(cause?: Error): FailedEnding {
  const happened = "the response ended before response_completed.";
  return ending("truncated", happened, (details) => new StreamTruncatedError({ ...details, cause }));
}

/** The deadlines that end a stream (docs/assumptions.md, D2 and D3): the failure by each, and the option that sets it. */
const stalls = {
  idle: ["no bytes arrived", "stream.idleTimeout"],
  event: ["no event arrived", "stream.eventTimeout"],
  stream: ["the response was not complete", "stream.timeout"],
} as const;

export function stalled(deadline: keyof typeof stalls, timeout: number): FailedEnding {
  const [what, option] = stalls[deadline];
  const happened = `${what} within ${timeout} ms (\`${option}\`).`;
  return ending("stalled", happened, (details) => new StreamStalledError({ ...details, deadline, timeout }));
}

export function aborted(reason: unknown): FailedEnding {
  const happened = "the caller aborted the stream.";
  return ending("aborted", happened, (details) => new AbortError({ ...details, phase: "stream", reason }));
}

function ending(
  state: FailedEnding["state"],
  happened: string,
  errorOf: (details: StreamErrorDetails, hasBegun: boolean) => ServiceApiError,
): FailedEnding {
  return {
    state,
    error(shared, hasBegun) {
      const { operation, events, requestId } = shared;
      const message = `${operation}: after ${events} ${events === 1 ? "event" : "events"}, ${happened} \`partialText\` and \`contextToken\` hold what was received.${namingRequest(requestId)}`;
      return errorOf({ ...shared, message }, hasBegun);
    },
  };
}
