import type { AiEvent, AiResponse } from "../../ai/types.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { Booking, FareQuote, FareRule } from "../../flights/types/index.ts";
import type { VpaResult } from "../../verification/types.ts";
import type {
  PayoutFailed,
  PayoutNotification,
  PayoutRejected,
  PayoutSucceeded,
  WebhookEvent,
} from "../../webhooks/events.ts";
import type { PayoutOutcome } from "../deliveries/types.ts";
import { successBody } from "../flights/responses.ts";
import { own, unknownName } from "../names.ts";
import { aiBodies, aiStreams } from "./ai.ts";
import { type BookingSampleName, bookingSamples } from "./bookings.ts";
import { bookFailures, quoteFailures, ruleFailures, ruleResults } from "./flights.ts";
import { payoutSamples } from "./payouts.ts";
import { quoteSamples } from "./quotes.ts";
import type { Sample } from "./sample.ts";
import type { SampleNames } from "./scenario-names.ts";
import { verificationSamples } from "./verification.ts";

/** The body of a refusal (§1, §7), in the style of either area. */
export interface RefusalBody {
  /** `failed` or `FAILED`. */
  readonly status: string;
  /** The reason. */
  readonly message: string;
  /** The code, in the style of verification. */
  readonly statusCode?: string;
  /** The code, in the style of the other areas. */
  readonly status_code?: string;
  readonly [field: string]: unknown;
}

type Bodies<Name extends string, Body> = {
  readonly [Key in Name]: Key extends `success-${string}` | `response-whole-${string}` | "stream-answered-as-one-body"
    ? Body
    : RefusalBody;
};

/** Of a stream, one sample is a whole body and one a refusal. */
type StreamName = Exclude<SampleNames["ai.stream"], SampleNames["ai.createResponse"]>;
/** A scenario of success changes the booking of its quote, and is not a sample. */
type RefusedBooking = Extract<SampleNames["flights.book"], `failed-${string}`>;
type PayoutName = Exclude<PayoutOutcome, "SUCCESS" | "FAILED" | "DUPLICATE" | "REJECTED">;

/** The samples of {@link sample}: by operation, or `payout` for webhooks, and by name. */
export interface Samples {
  /** Responses of the VPA look-up (§2.2, §7.1). */
  readonly "verification.findVpas": Bodies<SampleNames["verification.findVpas"], VpaResult>;
  /** AI responses as one body (§2.3). */
  readonly "ai.createResponse": Bodies<SampleNames["ai.createResponse"], AiResponse>;
  /** AI responses as events (§6.1). */
  readonly "ai.stream": Readonly<Record<StreamName, readonly AiEvent[]>>;
  /** Fare quotes (§2.4). */
  readonly "flights.fareQuote": Bodies<SampleNames["flights.fareQuote"], FareQuote>;
  /** Fare rules (§2.7). */
  readonly "flights.fareRule": Bodies<SampleNames["flights.fareRule"], FareRule>;
  /** Bookings (§2.8). */
  readonly "flights.book": Bodies<BookingSampleName | RefusedBooking, Booking>;
  /** Notifications of payouts (§6.2). */
  readonly payout: {
    readonly [Name in PayoutName]: Name extends "success"
      ? PayoutSucceeded
      : Name extends "failed"
        ? PayoutFailed
        : Name extends "rejected" | "rejected-other-code"
          ? PayoutRejected
          : PayoutNotification & Pick<WebhookEvent, "status">;
  };
}

/** The sample of each operation that is returned without a name. */
export interface DefaultSamples {
  /** Three VPAs. */
  readonly "verification.findVpas": "success-multiple";
  /** Headings, a table, a list and code. */
  readonly "ai.createResponse": "response-whole-markdown";
  /** The same as events. */
  readonly "ai.stream": "stream-markdown";
  /** One flight, one adult. */
  readonly "flights.fareQuote": "success-domestic-oneway-full-service";
  /** A long text. */
  readonly "flights.fareRule": "success-html-long";
  /** Held until it is ticketed. */
  readonly "flights.book": "success-full-service-held";
  /** A payout that was credited. */
  readonly payout: "success";
}

/**
 * Returns a sample: a body of the service, for tests that need no emulator. Each call returns a new copy.
 *
 * @param operation - `flights.book`, …, or `payout` for a webhook notification.
 * @param name - The name of the sample; docs/emulator.md lists them. @default that of {@link DefaultSamples}
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
  const table = own<Readonly<Record<string, unknown>>>(tables, String(operation));
  if (table === undefined) {
    throw new ConfigurationError(`sample: ${unknownName("operation", String(operation), Object.keys(tables))}`);
  }
  const key = String(name ?? defaultNames[operation]);
  const found = own<unknown>(table, key);
  if (found === undefined) {
    throw new ConfigurationError(`sample: ${unknownName(`sample of ${String(operation)}`, key, Object.keys(table))}`);
  }
  // The border: the tables have these names and types.
  return structuredClone(found) as Samples[Name][Key];
}

const defaultNames: DefaultSamples = {
  "verification.findVpas": "success-multiple",
  "ai.createResponse": "response-whole-markdown",
  "ai.stream": "stream-markdown",
  "flights.fareQuote": "success-domestic-oneway-full-service",
  "flights.fareRule": "success-html-long",
  "flights.book": "success-full-service-held",
  payout: "success",
};

const trace = "00000000-0000-4000-8ccc-000000000001";

const tables: { readonly [Name in keyof Samples]: Readonly<Record<keyof Samples[Name], unknown>> } = {
  "verification.findVpas": bodiesOf(verificationSamples),
  "ai.createResponse": bodiesOf(aiBodies),
  "ai.stream": aiStreams,
  "flights.fareQuote": { ...successes(quoteSamples, "success-"), ...bodiesOf(quoteFailures) },
  "flights.fareRule": { ...successes(ruleResults, ""), ...bodiesOf(ruleFailures) },
  "flights.book": { ...bookingSamples, ...bodiesOf(bookFailures) },
  payout: payoutSamples,
};

function bodiesOf<Name extends string>(samples: Readonly<Record<Name, Sample>>): Readonly<Record<Name, unknown>> {
  return mapTable(samples, ({ body }) => body);
}

function successes<Name extends string, Prefix extends string>(
  results: Readonly<Record<Name, unknown>>,
  prefix: Prefix,
): Readonly<Record<`${Prefix}${Name}`, unknown>> {
  const named = Object.entries(results).map(([name, result]) => [`${prefix}${name}`, result]);
  return mapTable(Object.fromEntries(named), (result) => successBody("Retrieved successfully.", trace, result));
}

function mapTable<Name extends string, From>(
  table: Readonly<Record<Name, From>>,
  convert: (value: From) => unknown,
): Readonly<Record<Name, unknown>> {
  const converted = Object.entries<From>(table).map(([name, value]) => [name, convert(value)] as const);
  // The same names.
  return Object.fromEntries(converted) as Readonly<Record<Name, unknown>>;
}
