import type { ApiErrorKind } from "../../errors/base.ts";
import type { SearchName } from "../catalogue/quotes.ts";

/** A fault that any operation can meet; docs/emulator.md says what each of them does. */
export type FaultName =
  | "reset"
  | "reset-after"
  | "no-response"
  | "no-response-after"
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
  | "stall-mid-body"
  /** Milliseconds of `slow`, or a number of bytes. */
  | `${"slow" | "bytes" | "drip" | "large"}:${number}`;

/** The samples that each operation can respond with, by the operation's name. */
export interface SampleNames {
  /** Of the VPA look-up (§2.2). */
  readonly "verification.findVpas":
    | "success-multiple"
    | "success-single"
    | "success-unknown-account-status"
    | "success-inconsistent"
    | "success-number-status-code"
    | "failed-pending";
  /** Of an AI response as one body (§2.3). */
  readonly "ai.createResponse": "response-whole-markdown" | "response-whole-follow-up-hindi" | "response-failed-200";
  /** Of an AI response as events (§6.1). */
  readonly "ai.stream":
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
    | "stream-empty-output"
    | "stream-answered-as-one-body";
  /** Of the fare quote (§2.4). */
  readonly "flights.fareQuote": `success-${SearchName}`;
  /** Of the fare rule look-up (§2.7). */
  readonly "flights.fareRule":
    | "success-html-long"
    | "success-roundtrip"
    | "success-empty-text"
    | "success-hostile-html";
  /** Of the booking (§2.8): in which it differs from its quote. */
  readonly "flights.book":
    | "success-price-changed"
    | "success-silent-price-difference"
    | "success-time-changed"
    | "success-seats-failed"
    | "success-all-flags-changed-seats-failed"
    | "success-without-pnr"
    | "success-segment-not-confirmed";
}

/** The name of an operation of the service. */
export type OperationName = keyof SampleNames;

/**
 * The name of a response: a fault, the kind of error that a refusal causes, or a sample of the operation.
 *
 * @typeParam Operation - The operation; those of all by default.
 */
export type ResponseName<Operation extends OperationName = OperationName> =
  | FaultName
  | ApiErrorKind
  | SampleNames[Operation];
