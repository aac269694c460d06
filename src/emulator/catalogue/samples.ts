import type { AiEvent, AiResponse } from "../../ai/types.ts";
import type { Booking, FareQuote, FareRule } from "../../flights/types/index.ts";
import type { VpaResult } from "../../verification/types.ts";
import type {
  PayoutFailed,
  PayoutNotification,
  PayoutRejected,
  PayoutSucceeded,
  WebhookEvent,
} from "../../webhooks/events.ts";
import { type AiTurn, aiBodies, aiStreams } from "../ai/events.ts";
import { payoutSamples } from "../deliveries/payout-event.ts";
import { bookingChanges } from "../flights/booking/book.ts";
import { quoteBody, ruleSamples, rulesBody } from "../flights/fares.ts";
import { lookUp } from "../names.ts";
import type { OperationName, SampleNames } from "../rules/names.ts";
import held from "../samples/flight/book/success-full-service-held.json" with { type: "json" };
import { ids } from "../state/ids.ts";
import { verificationSamples } from "../verification/verification.ts";
import { quotesByName } from "./quotes.ts";

/** A body that says failed or pending. */
export interface FailureBody {
  /** `pending` or `FAILED`. */
  readonly status: string;
  /** The reason. */
  readonly message: string;
  readonly [field: string]: unknown;
}

type Bodies<Operation extends keyof SampleNames, Body> = {
  readonly [Name in SampleNames[Operation]]: Name extends `${string}failed-${"pending" | "200"}` ? FailureBody : Body;
};

/** The samples of {@link sample}: by operation, or `payout` for webhooks, and by name. */
export interface Samples extends Record<OperationName | "payout", unknown> {
  /** Responses of the VPA look-up (§2.2). */
  readonly "verification.findVpas": Bodies<"verification.findVpas", VpaResult>;
  /** AI responses as one body (§2.3). */
  readonly "ai.createResponse": Bodies<"ai.createResponse", AiResponse>;
  /** AI responses as events (§6.1). */
  readonly "ai.stream": Readonly<Record<keyof typeof aiStreams, readonly AiEvent[]>>;
  /** Fare quotes (§2.4). */
  readonly "flights.fareQuote": Bodies<"flights.fareQuote", FareQuote>;
  /** Fare rules (§2.7). */
  readonly "flights.fareRule": Bodies<"flights.fareRule", FareRule>;
  /** Bookings (§2.8): one that is held, and that with a change. */
  readonly "flights.book": Bodies<"flights.book", Booking> & { readonly success: Booking };
  /** Notifications of payouts (§6.2). */
  readonly payout: {
    readonly [Outcome in keyof typeof payoutSamples]: Outcome extends "SUCCESS"
      ? PayoutSucceeded
      : Outcome extends "FAILED"
        ? PayoutFailed
        : Outcome extends "REJECTED" | "rejected-other-code"
          ? PayoutRejected
          : PayoutNotification & Pick<WebhookEvent, "status">;
  };
}

/** The sample of each operation that is returned without a name. */
const defaultNames = {
  "verification.findVpas": "success-multiple",
  "ai.createResponse": "response-whole-markdown",
  "ai.stream": "stream-markdown",
  "flights.fareQuote": "success-domestic-oneway-full-service",
  "flights.fareRule": "success-html-long",
  "flights.book": "success",
  payout: "SUCCESS",
} as const satisfies { readonly [Name in keyof Samples]: keyof Samples[Name] };

/** The sample of each operation that {@link sample} returns without a name. */
export type DefaultSamples = typeof defaultNames;

/**
 * Returns a sample: a body of the service, for tests that need no emulator. Each call returns a new copy.
 *
 * @param operation - `flights.book`, …, or `payout` for a webhook notification.
 * @param name - The name of the sample; docs/emulator.md lists them. @default an ordinary success
 * @throws {ConfigurationError} for an unknown operation or name.
 *
 * @example
 * ```ts
 * import { sample } from "serviceapi/emulator";
 *
 * const quote = sample("flights.fareQuote", "success-domestic-oneway-lcc");
 * console.log(quote.data.result[0]?.fare.total_fare); // 3967.75
 * ```
 */
export function sample<
  Name extends keyof Samples,
  Key extends keyof Samples[Name] = DefaultSamples[Name] & keyof Samples[Name],
>(operation: Name, name?: Key): Samples[Name][Key] {
  const [table, bodyOf] = lookUp<Table>(tables, String(operation), "operation", "sample:");
  const key = String(name ?? defaultNames[operation]);
  const found = lookUp<unknown>(table, key, `sample of ${String(operation)}`, "sample:");
  // The border: the tables have these names and types.
  return structuredClone(bodyOf(found as never)) as Samples[Name][Key];
}

const trace = ids.trace(1);
const turn = {
  ...{ context_token: ids.contextToken(1), parent_context_token: null },
  ...{ msg_id: ids.message(1), number: 1 },
};

/** The parts of samples by name, and the function that makes a body of one. */
type Table<Name extends PropertyKey = string> = readonly [Readonly<Record<Name, unknown>>, (found: never) => unknown];

const asItIs = (body: unknown) => body;

const tables: { readonly [Name in keyof Samples]: Table<keyof Samples[Name]> } = {
  "verification.findVpas": [verificationSamples, asItIs],
  "ai.createResponse": [aiBodies, asItIs],
  "ai.stream": [aiStreams, (events: (turn: AiTurn) => unknown) => events(turn)],
  "flights.fareQuote": [quotesByName, (result: unknown) => quoteBody(trace, result)],
  "flights.fareRule": [ruleSamples, (result: unknown) => rulesBody(trace, result)],
  "flights.book": [
    { success: asItIs, ...bookingChanges },
    (change: (result: unknown) => unknown) => ({ ...held, data: { ...held.data, result: change(held.data.result) } }),
  ],
  payout: [payoutSamples, asItIs],
};
