import type { Outcome } from "../errors/base.ts";
import type { Phase } from "../errors/request.ts";
import type { Judged, Operation } from "../operation.ts";
import type { ClientOptions, StreamOptions } from "../options.ts";
import type { CallScope } from "./cancellation.ts";
import type { OperationResponse } from "./envelope.ts";
import type { Reporter } from "./log.ts";
import type { RefusalProof } from "./refusals/proof.ts";

/** An operation, without what is needed only to check its params. */
export interface CalledOperation
  extends Omit<Operation<object, unknown>, "params" | "normalize" | "validateParams">,
    Judged {}

/** Progress of a call: one object for the whole call, and the only part of it that changes. */
export interface CallProgress {
  phase: Phase;
  /** Number of requests that were passed to `fetch`. */
  attempts: number;
  /** True while a request may be at the service. */
  inFlight: boolean;
  /** The outcome of the attempts that have ended: `unknown` if one of them was, else `rejected` if one was. */
  outcome: Outcome;
  /** The latest decision about a retry. */
  retry?: { readonly error: unknown; readonly delay: number | undefined };
  /** Time at which the first request was passed to `fetch`, in milliseconds since 1970. */
  sentAt: number;
  /** Time at which the latest request was, by `performance.now()`. */
  attemptedAt: number;
}

/** The facts from which the errors of a call are made, in addition to the response. */
export interface CallContext {
  readonly operation: CalledOperation;
  readonly clientReferenceId: string | undefined;
  /** The client's options, overridden by those of the call. */
  readonly options: ClientOptions & StreamOptions;
  /** The strings that must not be printed. */
  readonly secrets: readonly string[];
  readonly progress: CallProgress;
  /** Judges a refusal of an operation with `retry: "never"`. */
  readonly prove?: ((response: OperationResponse) => RefusalProof) | undefined;
}

/**
 * A call whose response has begun (2xx, headers read), and whose body its receiver reads: the source of a stream. A call that
 * fails before that (HTTP ≥ 400, a redirect, no connection) rejects with its typed error instead. The receiver ends its
 * connection (`scope.cancelAttempt()`), unless it reads the body to its end, learns of an abort from `scope.onCancel`,
 * which `fetch` may lose after `gc()` ran (nodejs/undici#3644), and calls `scope.close()`.
 */
export interface StreamingCall extends CallContext, Pick<PreparedCall, "scope" | "reporter" | "startedAt"> {
  /** The response. Its body is unread. */
  readonly response: Response;
  /** The strings among the fields of the request, such as its tokens. The rest may be long, and is not kept. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** A call that is ready to be sent. */
export interface PreparedCall extends CallContext {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly json: string;
  readonly scope: CallScope;
  /** Milliseconds that an attempt may take; `Infinity` without a limit. */
  readonly timeout: number;
  readonly reporter: Reporter | undefined;
  readonly onSend: ((limit: number) => number) | undefined;
  readonly parse: ((text: string) => unknown) | undefined;
  /** Whether its receiver reads the body as a stream. */
  readonly isStream: boolean;
  /** When the call was made, by `performance.now()`. */
  readonly startedAt: number;
}
