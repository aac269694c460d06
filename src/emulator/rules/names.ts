import type { ApiErrorKind } from "../../errors/base.ts";
import type { aiBodies, aiStreams } from "../ai/events.ts";
import type { quotesByName } from "../catalogue/quotes.ts";
import type { bookingChanges } from "../flights/booking/book.ts";
import type { verificationSamples } from "../verification/verification.ts";
import type { faultNames } from "./faults.ts";

/** A fault that any operation can meet, with its milliseconds or bytes if it has them; docs/emulator.md says what each of them does. */
export type FaultName = (typeof faultNames)[number] | `${"slow" | "bytes" | "drip" | "large"}:${number}`;

/** The samples that each operation can respond with, by the operation's name. */
export interface SampleNames {
  /** Of the VPA look-up (§2.2). */
  readonly "verification.findVpas": keyof typeof verificationSamples;
  /** Of an AI response as one body (§2.3). */
  readonly "ai.createResponse": keyof typeof aiBodies;
  /** Of an AI response as events (§6.1). */
  readonly "ai.stream": keyof typeof aiStreams | "stream-answered-as-one-body";
  /** Of the fare quote (§2.4). */
  readonly "flights.fareQuote": keyof typeof quotesByName;
  /** Of the fare rule look-up (§2.7). */
  readonly "flights.fareRule":
    | "success-html-long"
    | "success-roundtrip"
    | "success-empty-text"
    | "success-hostile-html";
  /** Of the booking (§2.8): in which it differs from its quote. */
  readonly "flights.book": keyof typeof bookingChanges;
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
