import type { Client } from "../../client.ts";
import type { AnyServiceApiError } from "../../errors/any.ts";
import { isServiceApiError } from "../../errors/any.ts";
import type { ErrorKind } from "../../errors/base.ts";
import type { RetryPolicy } from "../../transport/transport.ts";
import { findVpas } from "../operations.ts";
import type { FindVpasParams } from "../types.ts";
import type { Settings } from "./options.ts";
import type { Pace } from "./pace.ts";
import type { FindManyOutcome } from "./types.ts";

/** The parts that all look-ups of a run share. */
export interface Run {
  readonly client: Client;
  readonly pace: Pace;
  readonly policy: RetryPolicy;
  readonly settings: Settings;
  /** Ends the requests that are under way. */
  readonly signal: AbortSignal;
}

/** Errors that every other number would meet as well. */
const final: ReadonlySet<ErrorKind> = new Set([
  "authentication",
  "permission",
  "insufficient_balance",
  "configuration",
]);

/**
 * Looks up one number. The client does not retry: each retry waits for its turn like any request, so that a 429 holds
 * back the whole run immediately. A number is sent `1 + maxRetries` times at most, plus `pendingRetries`.
 *
 * @throws AnyServiceApiError for what ends the run.
 */
export async function lookUp(run: Run, index: number, params: FindVpasParams): Promise<FindManyOutcome> {
  const { policy, settings } = run;
  const left = { retries: settings.maxRetries ?? policy.maxRetries, pending: settings.pendingRetries };
  let attempts = 0;
  let notBefore = 0;
  for (let attempt = 1; ; attempt++) {
    const sent = await send(run, await run.pace.turn(index, notBefore), params, attempt);
    attempts += sent.attempts;
    if (!("error" in sent)) return { ...sent, attempts };
    const { error } = sent;
    const pause = pauseBeforeRetry(run, error, left, sent.pause);
    if (pause === undefined) return { ...failed(error), attempts };
    notBefore = performance.now() + pause;
  }
}

type Sent =
  | Extract<FindManyOutcome, { kind: "found" }>
  | { readonly attempts: number; readonly error: AnyServiceApiError; readonly pause: number };

/** Makes one attempt in its turn, and adapts the pace to its response before the next turn begins. */
async function send(run: Run, startedAt: number, params: FindVpasParams, attempt: number): Promise<Sent> {
  const { client, pace, settings, signal } = run;
  try {
    const call = client.send(findVpas, params, { ...settings.call, signal });
    const { data, warnings, attempts } = await call.withResponse();
    pace.speedUp();
    return { kind: "found", result: data, warnings, attempts };
  } catch (error) {
    if (!isServiceApiError(error)) throw error;
    const pause = adaptPace(run, startedAt, error, attempt);
    return { attempts: error.attempts, error, pause };
  } finally {
    pace.done();
  }
}

/**
 * Slows the run down if the service asks for it, and returns the milliseconds before a retry.
 *
 * @throws AnyServiceApiError for what ends the run; `Retry-After` beyond `maxRetryAfter` does.
 */
function adaptPace(
  { pace, policy, signal }: Run,
  startedAt: number,
  error: AnyServiceApiError,
  attempt: number,
): number {
  if (signal.aborted) throw signal.reason;
  const { maxRetryAfter, pauseBefore } = policy;
  const asked = "retryAfter" in error ? error.retryAfter : undefined;
  const pause = asked ?? pauseBefore(attempt);
  const isTooLong = asked !== undefined && asked > maxRetryAfter;
  if (final.has(error.kind) || isTooLong) {
    // Whatever waits would meet the same: nothing more is sent.
    pace.stop(error);
    throw error;
  }
  if (error.attempts === 0) pace.giveBack();
  if (error.kind === "rate_limited") pace.slowDown(startedAt);
  else if ("httpStatus" in error && !error.isRetryable) pace.speedUp();
  if (error.kind === "rate_limited" || asked !== undefined) pace.hold(pause);
  return pause;
}

/** Returns the milliseconds before the number is asked for again; undefined if it is not. */
function pauseBeforeRetry(
  { settings }: Run,
  error: AnyServiceApiError,
  left: { retries: number; pending: number },
  pause: number,
): number | undefined {
  if (error.kind === "in_progress") return left.pending-- > 0 ? settings.pendingDelay : undefined;
  return error.isRetryable && left.retries-- > 0 ? pause : undefined;
}

type Failed = FindManyOutcome extends infer Kind
  ? Kind extends { kind: "found" }
    ? never
    : Omit<Kind, "attempts">
  : never;

function failed(error: AnyServiceApiError): Failed {
  if (error.kind === "not_found") return { kind: "notFound", error };
  if (error.kind === "in_progress") return { kind: "pending", error };
  return { kind: "error", error };
}
