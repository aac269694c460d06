import { type Outcome, type Remedy, ServiceApiError } from "../errors/base.ts";
import type { RetryClass } from "../operation.ts";
import { type ClientOptions, defaults } from "../options.ts";
import { maxTimerMs } from "../shared/options.ts";
import { quietly } from "../shared/promises.ts";
import type { PreparedCall } from "./request.ts";

/** A failure, as far as it decides whether to retry. */
export type AttemptFailure =
  /** The request certainly never left. */
  | "notSent"
  /** No whole response came in time. */
  | "lost"
  /** The service, or a gateway before it, refused. */
  | { readonly remedy: Remedy | undefined; readonly code: number; readonly retryAfter: number | undefined };

/** Codes after which a call that is safe to retry is retried (docs/assumptions.md, D5). */
const safeCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Returns whether a retry may succeed and is safe. */
export function isRetryable(retry: RetryClass, failure: AttemptFailure, outcome: Outcome): boolean {
  if (retry === "safe") {
    if (typeof failure === "string" || safeCodes.has(failure.code)) return true;
    // Its message says so under another code (§7.2).
    return failure.code < 500 && failure.remedy === "retry";
  }
  // What may have been done once is not done again.
  if (retry === "never" && outcome === "unknown") return false;
  if (typeof failure === "string") return failure === "notSent";
  if (failure.remedy === "lookUp") return false;
  return (
    failure.code === 429 || (retry === "ifNotProcessed" && failure.code === 503 && failure.retryAfter !== undefined)
  );
}

export function retryLimit({ operation, options }: PreparedCall): number {
  return operation.retry === "never" ? 0 : (options.maxRetries ?? defaults.maxRetries);
}

/**
 * Returns the milliseconds to pause before the call is retried after this error; `undefined` if it is not retried. The
 * error says whether a retry may succeed and is safe; the options say how often and when.
 */
export function delayBeforeRetry(call: PreparedCall, error: unknown): number | undefined {
  if (!ServiceApiError.isInstance(error) || !error.isRetryable) return undefined;
  const { progress } = call;
  // It is decided once: `asResponse()` has to know before the error is thrown.
  if (progress.retry?.error !== error) progress.retry = { error, delay: decideDelay(call, error) };
  return progress.retry.delay;
}

function decideDelay(call: PreparedCall, error: ServiceApiError): number | undefined {
  const { options, progress, scope } = call;
  const { attempts } = progress;
  if (attempts > retryLimit(call)) return undefined;
  const asked = "retryAfter" in error ? (error.retryAfter as number | undefined) : undefined;
  if (asked !== undefined && asked > (options.maxRetryAfter ?? defaults.maxRetryAfter)) return undefined;
  const delay = Math.min(asked ?? retryPause(options, attempts), maxTimerMs);
  // A pause that outlasts the call would only delay the error.
  return delay < scope.remaining ? delay : undefined;
}

/** Returns the milliseconds to pause before retry `n` (from 1) if the service names no time. */
export function retryPause({ retryDelay }: ClientOptions, retry: number): number {
  const delay: unknown = quietly(() => retryDelay?.(retry));
  return typeof delay === "number" && delay >= 0 ? delay : defaultRetryDelay(retry);
}

/** Exponential backoff with full jitter, in milliseconds. */
export function defaultRetryDelay(retry: number): number {
  const { first, max } = defaults.retryDelay;
  return Math.random() * Math.min(max, first * 2 ** (retry - 1));
}

/** Returns `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in milliseconds; the longest if it was sent twice. */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  // The comma of a date comes after the name of a day.
  const pauses = (header ?? "").split(/(?<![A-Z][a-z]{2,8}),/).map((value) => pauseOf(value.trim(), now));
  const longest = Math.max(...pauses.filter((pause) => !Number.isNaN(pause)));
  return longest < 0 ? undefined : Math.min(longest, Number.MAX_SAFE_INTEGER);
}

/** The date of RFC 9110 (5.6.7) and its two obsolete forms, of which the last has no zone: it is GMT. */
const date = /^[A-Z][a-z]{2,8}, \d\d[ -][A-Z][a-z]{2}[ -](?:\d\d){1,2} |^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d .* \d{4}$/;

function pauseOf(value: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1_000;
  if (!date.test(value)) return Number.NaN;
  return Math.max(0, Date.parse(value.includes(",") ? value : value.replace(/\d{4}$/, "GMT $&")) - now);
}
