import type { SearchName } from "./quotes.ts";

/** A fault that any operation can meet; docs/emulator.md says what each of them does. */
export type FaultName =
  | "reset"
  | "reset-after"
  | "no-response"
  | "no-response-after"
  | "auth"
  | "blocked-ip"
  | "rate-limited"
  | "temporary"
  | "unavailable"
  | "unavailable-retry-after"
  | "html-502"
  | "empty-504"
  | "empty-200"
  | "not-json"
  | "redirect"
  | "large"
  | "http-500"
  | "other-request"
  | "slow"
  | "bytes"
  | "drip"
  | "cut-json"
  | "reset-mid-body"
  | "stall-mid-body";

/** A fault with its amount: milliseconds of `slow`, or a number of bytes. */
export type FaultWithAmount = `${"slow" | "bytes" | "drip" | "large"}:${number}`;

/** A sample of the VPA look-up (§2.2, §7.1). */
export type VerificationSampleName =
  | "success-multiple"
  | "success-single"
  | "success-unknown-account-status"
  | "success-inconsistent"
  | "success-number-status-code"
  | "failed-400-invalid-mobile"
  | "failed-404-not-found"
  | "failed-auth-uppercase-style"
  | "failed-ip-not-allowed"
  | "failed-missing-consent"
  | "failed-pending"
  | "failed-rate-limited";

/** A sample of a whole AI response (§2.3). */
export type AiBodyName =
  | "response-whole-markdown"
  | "response-whole-follow-up-hindi"
  | "response-failed-200"
  | "response-failed-expired-context"
  | "stream-answered-as-one-body";

/** A sample of a stream (§6.1). */
export type AiStreamName =
  | "stream-markdown"
  | "stream-hindi-emoji"
  | "stream-lone-surrogates"
  | "stream-out-of-order"
  | "stream-first-chunks-swapped"
  | "stream-sequence-starts-at-4-with-gaps"
  | "stream-duplicate-sequence"
  | "stream-final-text-differs"
  | "stream-truncated"
  | "stream-failed-midway"
  | "stream-unknown-event"
  | "stream-empty-output";

/** A refusal of the fare quote (§7.2). */
export type QuoteFailureName =
  | "failed-400-expired-token"
  | "failed-400-flight-unavailable"
  | "failed-400-invalid-token"
  | "failed-400-malformed-token"
  | "failed-400-temporary"
  | "failed-auth"
  | "failed-expired-token"
  | "failed-flight-unavailable"
  | "failed-invalid-token"
  | "failed-ip"
  | "failed-temporary"
  | "failed-trace-mismatch"
  | "failed-with-data-null";

/** A fare rule (§2.7). */
export type RuleSampleName = "success-empty-text" | "success-hostile-html" | "success-html-long" | "success-roundtrip";

/** A refusal of the fare rule (§7.2). */
export type RuleFailureName =
  | "failed-400-auth"
  | "failed-400-expired-token"
  | "failed-400-trace-mismatch"
  | "failed-400-unavailable"
  | "failed-expired"
  | "failed-trace-mismatch"
  | "failed-unavailable";

/** A difference of a booking from its quote (§2.8). */
export type BookingChangeName =
  | "success-price-changed"
  | "success-silent-price-difference"
  | "success-time-changed"
  | "success-all-flags-changed-seats-failed"
  | "success-seats-failed"
  | "success-without-pnr"
  | "success-segment-not-confirmed";

/** A refusal of the booking. */
export type BookFailureName =
  | "failed-auth"
  | "failed-gst-required"
  | "failed-in-progress"
  | "failed-insufficient-balance"
  | "failed-invalid-passenger"
  | "failed-partial"
  | "failed-price-changed-before-book"
  | "failed-quote-token-reused"
  | "failed-session-expired";

/** The samples that each operation can respond with, by the operation's name. */
export interface SampleNames {
  /** Of the VPA look-up (§4.1). */
  readonly "verification.findVpas": VerificationSampleName;
  /** Of an AI response as one body (§4.2). */
  readonly "ai.createResponse": AiBodyName;
  /** Of an AI response as events (§6.1). */
  readonly "ai.stream": AiStreamName | "response-failed-expired-context" | "stream-answered-as-one-body";
  /** Of the fare quote (§4.4). */
  readonly "flights.fareQuote": `success-${SearchName}` | QuoteFailureName;
  /** Of the fare rule look-up (§4.5). */
  readonly "flights.fareRule": RuleSampleName | RuleFailureName;
  /** Of the booking (§4.3). */
  readonly "flights.book": BookingChangeName | BookFailureName;
}

/** The name of an operation of the service. */
export type OperationName = keyof SampleNames;

/** The name of a scenario: a fault, or a sample of an operation. */
export type ScenarioName = FaultName | FaultWithAmount | SampleNames[OperationName];
