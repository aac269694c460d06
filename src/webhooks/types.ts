import type { ValidationIssue } from "../errors/base.ts";
import type { WebhookCheck } from "./auth/check.ts";
import type {
  FinalPayout,
  PayoutDuplicate,
  PayoutFailed,
  PayoutRejected,
  PayoutSucceeded,
  ProcessResult,
  UnknownWebhookEvent,
  WebhookEvent,
} from "./events.ts";
import type { RequiredFields } from "./receive/parse-event.ts";
import type { PayoutEffect } from "./stores/record.ts";
import type { Claim, WebhookStore } from "./stores/store.ts";

/** A decimal of a library, such as Decimal.js, Prisma or bignumber.js. It is read by its `toString()`. */
export interface DecimalLike {
  /** Writes the number with a number of decimals. */
  toFixed(decimals?: number): string;
}

/** The amount of an order: a positive number as `txn_amount`, a decimal string such as `"1500.50"`, or a decimal. */
export type ExpectedAmount = number | string | bigint | DecimalLike;

/**
 * An order and its outcome, if known. Other properties, such as further columns of a row, are ignored, unless one looks
 * like a misspelt `settled`.
 */
export interface ExpectedOrder {
  /** The ordered amount: positive. */
  readonly amount: ExpectedAmount;
  /**
   * True, or the status that took effect, for an order that is done: its events of the four statuses of §6.2 are
   * acknowledged `DUPLICATE` and never run, even if the store no longer knows the reference. With the status,
   * `onConflict` is called for another one. Any other string is a ConfigurationError. @default false, also if it is null
   */
  readonly settled?: boolean | FinalPayout["status"] | (string & {}) | null | undefined;
}

/**
 * Returns the order with a reference, or null or undefined if there is none (§6.5.2). Compare exactly: a look-up that
 * ignores case, padding or Unicode normalization finds one order under several references, each of which takes effect.
 */
export type FindOrder = (
  reference: string,
  event: WebhookEvent,
) => ExpectedAmount | ExpectedOrder | null | undefined | Promise<ExpectedAmount | ExpectedOrder | null | undefined>;

/** The options that a receiver needs, together: `handler` and `process` throw without them. */
export interface ReceiverOptions {
  /**
   * The store that keeps claims, which all processes share: `redisStore` or `postgresStore`. There is no default;
   * `memoryStore()` is for one process. `find` and `forget` need it too, and `verify` if a check returns a nonce.
   */
  readonly store: WebhookStore;
  /** Returns the amount ordered under a reference (§6.5.2), or explicitly `"none"`. */
  readonly findOrder: FindOrder | "none";
}

/**
 * Options of `new Webhooks({…})`. With `findOrder`, which only a receiver needs, TypeScript asks for the `store`.
 */
export type WebhooksOptions = DeliveryOptions &
  (
    | ReceiverOptions
    | { readonly [Name in keyof ReceiverOptions]?: Name extends "store" ? WebhookStore | undefined : undefined }
  );

/** The options that have nothing to do with what takes effect, and hooks. */
export interface DeliveryOptions extends WebhookHooks {
  /**
   * The checks that every delivery must pass, all of them, or explicitly `"none"`. There is no default: without it,
   * `verify` and `handler` throw (§5; docs/assumptions.md, W2).
   */
  readonly auth?: readonly WebhookCheck[] | "none" | undefined;
  /**
   * The fields that an event must have: those that handlers need, or all that §6.2 shows. `"all"` also refuses a
   * `statusCode` or `acknowledged` that is not that of the `status`. What contradicts the `status` is refused in either
   * case: SUCCESS with `400`, FAILED with `200` or a `utr`. @default "essential"
   */
  readonly requiredFields?: RequiredFields | undefined;
  /**
   * Response that makes the service redeliver a delivery that could not be processed. That it does so after `FAILED` is
   * an assumption (§6.4): `http500` sends the same body with HTTP 500. @default "failed"
   */
  readonly redeliverBy?: "failed" | "http500" | undefined;
  /** Milliseconds after which the response is sent, done or not; §6.3 allows 7,000. @default 5_500 */
  readonly ackTimeout?: number | undefined;
  /** Milliseconds after which the handler's `signal` is aborted; §8 allows 10,000. @default 10_000 */
  readonly workTimeout?: number | undefined;
  /** Milliseconds after which the claim of a process that died expires. At least `workTimeout`. @default 12_000 */
  readonly claimLease?: number | undefined;
  /** Maximum size of a body in bytes. @default 65_536 */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds that a body may take to arrive. @default 2_000 */
  readonly bodyTimeout?: number | undefined;
  /** The clock for timestamps of signatures, in milliseconds since 1970. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** The second argument of `onFailure`. */
export interface WebhookFailure {
  /** The event of the delivery, if that is authentic and was parsed. */
  readonly event: WebhookEvent | undefined;
  /**
   * `refused`: the delivery was refused, with a `WebhookAuthError` or a `WebhookPayloadError`. `failed`: something failed
   * before its response, which may be SUCCESS all the same. `late`: it failed, or would have been refused, after it.
   */
  readonly phase: "refused" | "failed" | "late";
}

/**
 * Hooks. For every delivery that is acknowledged `FAILED`, `onFailure` is called with the reason. Only `onConflict`,
 * and `onFailure` in its place, is awaited.
 */
export interface WebhookHooks {
  /**
   * Called for a status that §6.2 does not name, at each delivery: such events are not recorded, so make it safe to
   * repeat. @default acknowledged FAILED, and `onFailure` is called (`unknownStatus`)
   */
  readonly onUnknown?: EventHandler<UnknownWebhookEvent, undefined> | undefined;
  /**
   * Called for a delivery that contradicts what took effect for its reference, which stays: another status, or the same
   * with another `transactionId`, `utr` or `txn_amount`. Called at least once for each contradiction, whose delivery is
   * acknowledged after it returns. If it throws, the delivery is acknowledged `FAILED`, `onFailure` is called, and the
   * next delivery calls it again. @default `onFailure` is called instead, in the same way, with the reason `conflict`
   */
  readonly onConflict?: ((event: WebhookEvent, done: PayoutEffect) => unknown) | undefined;
  /**
   * Called for every delivery that is refused, and for one that fails, before or after its response: a handler,
   * `findOrder`, a check, the store or `onConflict` failed, or the work was not done in time (a
   * `WebhookProcessingError` with a `reason`). Also called for a `DUPLICATE` notification of a payout that has not taken
   * effect here (`notProcessed`), unless there is a handler for it or the order is `settled`.
   *
   * The error of a refusal holds no secret and no body. Its `clientReferenceId` may be made up if the delivery is not
   * authentic. What the hook throws is dropped, unless it is called in place of `onConflict`.
   */
  readonly onFailure?: ((error: unknown, failure: WebhookFailure) => unknown) | undefined;
  /**
   * Called when the event of a delivery has taken effect, with `SUCCESS` if its handler ran and `DUPLICATE` if that was
   * so before, also after its response was sent. For an audit or a metric: what the hook throws is dropped.
   */
  readonly onAccepted?: ((event: WebhookEvent, result: ProcessResult) => unknown) | undefined;
}

/** The second argument of a handler. */
export interface EventContext<Held extends Claim | undefined = Claim> {
  /** Aborted after `workTimeout`: stop and throw, so that nothing is committed after the claim's lease. */
  readonly signal: AbortSignal;
  /** The claim under which the handler runs; undefined for DUPLICATE and unknown statuses, which are not recorded. */
  readonly claim: Held;
  /** Harmless differences from §6.2, such as an unknown `statusCode`. */
  readonly warnings: readonly ValidationIssue[];
}

/** Handles an event. When it returns, its work must be durable; if it throws, the event is redelivered. */
export type EventHandler<Event, Held extends Claim | undefined = Claim> = (
  event: Event,
  context: EventContext<Held>,
) => unknown;

/** The handlers for the statuses of §6.2, and hooks that override those of the options. */
export interface WebhookHandlers extends WebhookHooks {
  /** Called for a payout that was settled and credited to the beneficiary. */
  readonly SUCCESS: EventHandler<PayoutSucceeded>;
  /** Called for a payout that failed and is reversed or refunded. */
  readonly FAILED: EventHandler<PayoutFailed>;
  /** Called for a payout that validation or compliance refused: no money moved. */
  readonly REJECTED: EventHandler<PayoutRejected>;
  /**
   * Called for a payout that the service says it processed earlier. Nothing is recorded, so it runs at each delivery.
   * @default acknowledged DUPLICATE; `onFailure` is called (`notProcessed`) if the payout has not taken effect here
   */
  readonly DUPLICATE?: EventHandler<PayoutDuplicate, undefined> | undefined;
}

/**
 * The platform's second argument beside a `Request`: Cloudflare's `ctx`, Deno's `info`, Hono's `executionCtx` or
 * Next.js's context.
 */
export interface RequestContext {
  /** Keeps the process alive for work that outlives the response. */
  waitUntil?(work: Promise<unknown>): void;
  /** The peer's IP address. */
  readonly remoteAddress?: string | undefined;
  /** The peer's IP address in Deno. */
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
  /** Passed by Next.js. Not used; without it, TypeScript would not let you export the handler there. */
  readonly params?: unknown;
}

/** Headers: a `Headers` object, a plain object, or Node's flat `rawHeaders`. */
export type HeaderSource =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly string[];

/** A raw body: a string, bytes or a stream of bytes. */
export type BodySource =
  | string
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** A delivery on a platform without `Request`. */
export interface WebhookDelivery {
  /** The headers of the request; names in any case. */
  readonly headers: HeaderSource;
  /** The raw body; null or undefined if it is empty. One that a framework has parsed is refused with advice. */
  readonly body: BodySource | null | undefined;
  /** The peer's IP address. */
  readonly remoteAddress?: string | undefined;
  /**
   * When your server received it, in milliseconds since 1970, if it waited in a queue since: a timestamp is compared with
   * this time. @default the time of the option `now`
   */
  readonly receivedAt?: number | undefined;
}

/** The response to a delivery on a platform without `Response`. */
export interface WebhookResponse {
  /** HTTP status: 200, or 500 for a failure with `redeliverBy: "http500"`. */
  readonly status: number;
  /** The headers of the response: its content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** The acknowledgement of §6.3 as JSON. */
  readonly body: string;
}

/**
 * A function that responds to deliveries. Servers with `Request` and `Response` call it directly; adapters use
 * `receive`.
 */
export interface WebhookHandler {
  (request: Request, context: RequestContext | undefined): Promise<Response>;
  // Last, where TypeScript looks first: Next.js 15, `Bun.serve` and Workers each have another type for the context.
  (request: Request): Promise<Response>;
  /** Responds to a delivery without a `Request`. It never rejects. */
  receive(delivery: WebhookDelivery, context?: RequestContext): Promise<WebhookResponse>;
}
