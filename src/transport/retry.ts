import { type ApiErrorKind, ServiceApiError } from "../errors/base.ts";
import type { RetryClass } from "../operation.ts";
import type { ClientOptions } from "../options.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { maxTimerMs } from "../shared/options.ts";
import type { PreparedCall } from "./prepare.ts";

/** What went wrong, as far as it decides whether to repeat. */
export type Failure =
  /** No connection, or one that broke; `sent` is false only where the request certainly never left. */
  | { readonly type: "connection"; readonly sent: boolean }
  | { readonly type: "attemptTimeout" }
  | { readonly type: "cutAnswer" }
  | {
      readonly type: "refusal";
      readonly kind: ApiErrorKind;
      readonly code: number;
      readonly retryAfter: number | undefined;
    };

/** Codes after which a call that does no harm is retried (docs/assumptions.md, D5). */
const safeCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** True when repeating may succeed and cannot do harm. */
export function isRetryable(retry: RetryClass, failure: Failure): boolean {
  if (retry === "safe") return failure.type !== "refusal" || passes(failure.kind, failure.code);
  if (failure.type === "connection") return !failure.sent;
  if (failure.type !== "refusal" || failure.kind === "duplicate" || failure.kind === "in_progress") return false;
  return (
    failure.code === 429 || (retry === "ifNotProcessed" && failure.code === 503 && failure.retryAfter !== undefined)
  );
}

/** True for a refusal that passes: by its code, or because its message says so under a code that does not (§7.2). */
function passes(kind: ApiErrorKind, code: number): boolean {
  return safeCodes.has(code) || (code < 500 && (kind === "unavailable" || kind === "rate_limited"));
}

/** The most retries that one call may have. */
export function retryLimit({ operation, options }: PreparedCall): number {
  return operation.retry === "never" ? 0 : (options.maxRetries ?? 2);
}

/**
 * Milliseconds to pause before the call is retried after this error, or `undefined` if it is not retried. The error itself
 * says whether a retry may help and can do no harm; the options say how often and when.
 */
export function delayBeforeRetry(call: PreparedCall, error: unknown): number | undefined {
  const { attempts, lifetime, options } = call;
  if (!ServiceApiError.isInstance(error) || !error.isRetryable || attempts > retryLimit(call)) return undefined;
  const asked = "retryAfter" in error ? (error.retryAfter as number | undefined) : undefined;
  if (asked !== undefined && asked > (options.maxRetryAfter ?? 60_000)) return undefined;
  const delayMs = Math.min(asked ?? chosenDelay(options, attempts) ?? defaultRetryDelay(attempts), maxTimerMs);
  // A pause that outlasts the call would only delay the error.
  return delayMs < lifetime.remaining ? delayMs : undefined;
}

/** Announces a retry and returns the pause before it; throws the error if that is final. */
export function planRetry(call: PreparedCall, error: unknown): number {
  const delayMs = delayBeforeRetry(call, error);
  if (delayMs === undefined) throw error;
  const reason = ServiceApiError.isInstance(error) ? error.kind : "unknown";
  call.lifetime.phase = "backoff";
  call.reporter.report({ type: "retry", attempt: call.attempts, delayMs, reason });
  return delayMs;
}

/** What `retryDelay` returns; if it throws, or returns no duration, the default applies. */
function chosenDelay({ retryDelay }: ClientOptions, retry: number): number | undefined {
  try {
    const delayMs = retryDelay?.(retry);
    ignoreRejection(delayMs);
    return delayMs !== undefined && delayMs >= 0 ? delayMs : undefined;
  } catch {
    return undefined;
  }
}

/** Exponential from 500 ms to 8 s with full jitter. */
export function defaultRetryDelay(retry: number): number {
  return Math.random() * Math.min(8_000, 500 * 2 ** (retry - 1));
}

/** `Retry-After` (RFC 9110 §10.2.3: seconds or a date) in milliseconds. */
export function parseRetryAfter(header: string | null, now = Date.now()): number | undefined {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} /.test(text)) return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
