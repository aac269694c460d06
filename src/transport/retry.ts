import type { RetryClass } from "../operation.ts";

/** What went wrong, as far as it decides whether to repeat. */
export type Failure =
  /** No connection, or one that broke; `sent` is false only where the request certainly never left. */
  | { readonly type: "connection"; readonly sent: boolean }
  | { readonly type: "attemptTimeout" }
  | { readonly type: "cutAnswer" }
  | { readonly type: "refusal"; readonly code: number; readonly retryAfter: number | undefined };

/** Codes after which a call that does no harm is repeated (policy 8). */
const safeCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** True when repeating may succeed and cannot do harm. */
export function isRetryable(retry: RetryClass, failure: Failure): boolean {
  if (retry === "safe") return failure.type !== "refusal" || safeCodes.has(failure.code);
  if (failure.type === "connection") return !failure.sent;
  if (failure.type !== "refusal") return false;
  return (
    failure.code === 429 || (retry === "ifNotProcessed" && failure.code === 503 && failure.retryAfter !== undefined)
  );
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
