import type { ApiError } from "../../errors/api.ts";
import type { DetailsOf, ServiceApiError } from "../../errors/base.ts";
import { type StreamError, StreamFailedError, StreamStalledError, StreamTruncatedError } from "../../errors/stream.ts";
import { stringOf } from "../../shared/json.ts";
import { chunkOf, fullTextOf } from "../events.ts";

/** The state of a stream: see {@link AiStream.state}. */
export type StreamState = "idle" | "streaming" | "completed" | "failed" | "truncated" | "stalled" | "aborted";

/** The end of a stream (docs/assumptions.md, I4). */
export type StreamEnding = FailedEnding | { readonly state: "completed"; readonly toError?: undefined };

/** The end of a stream that did not complete, and the error that its reader gets. */
export interface FailedEnding {
  readonly state: Exclude<StreamState, "idle" | "streaming" | "completed">;
  /** Of what was received, it shows the code of a refusal alone. */
  readonly happened?: string;
  /** @param hasChunks - Whether a chunk of the response has come. */
  readonly toError: (details: DetailsOf<StreamError>, hasChunks: boolean) => ServiceApiError;
}

/** The response was read as that of another call, with its error. */
export function failed(error: ServiceApiError): FailedEnding {
  return { state: "failed", toError: () => error };
}

export function truncated(cause?: Error): FailedEnding {
  const happened = "the response ended before response_completed.";
  return { state: "truncated", happened, toError: (details) => new StreamTruncatedError({ ...details, cause }) };
}

/** The failure by each deadline (docs/assumptions.md, D2 and D3), and the option that sets it. */
const stalls: Readonly<Record<StreamStalledError["deadline"], string>> = {
  idle: "no bytes arrived within % ms (`stream.idleTimeout`).",
  event: "no event arrived within % ms (`stream.eventTimeout`).",
  stream: "the response was not complete within % ms (`stream.timeout`).",
};

export function stalled(deadline: StreamStalledError["deadline"], timeout: number): FailedEnding {
  const happened = stalls[deadline].replace("%", String(timeout));
  return {
    state: "stalled",
    happened,
    toError: (details) => new StreamStalledError({ ...details, deadline, timeout }),
  };
}

/** The stream cannot be read on. */
export function unusable(
  reason: Exclude<StreamFailedError["reason"], "failed">,
  happened: string,
  body?: unknown,
): FailedEnding {
  return { state: "failed", happened, toError: (details) => new StreamFailedError({ ...details, reason, body }) };
}

/** The service reported in the stream that the generation failed. */
export function refused({ statusCode, serviceMessage, body, outcome }: ApiError): FailedEnding {
  const code = statusCode !== undefined && /^\w{1,20}$/.test(statusCode) ? ` (code ${statusCode})` : "";
  return {
    state: "failed",
    happened: `the service reported FAILED${code}.`,
    toError(details, hasChunks) {
      // The event that says so may hold a part of the response.
      const last = Object(body);
      const partialText = details.partialText + chunkOf(last) || fullTextOf(last);
      const contextToken = details.contextToken ?? (stringOf(last.context_token) || undefined);
      return new StreamFailedError({
        ...details,
        ...{ partialText, contextToken },
        // A generation that has begun is not undone by its failure.
        outcome: hasChunks || partialText !== "" || contextToken !== undefined ? details.outcome : outcome,
        ...{ reason: "failed", statusCode, serviceMessage, body },
      });
    },
  };
}
