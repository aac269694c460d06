import type { Issue } from "../errors/base.ts";
import type { WebhookAuthError, WebhookPayloadError } from "../errors/webhook.ts";
import type { WebhookCheck } from "./auth/check.ts";
import type {
  PayoutDuplicate,
  PayoutFailed,
  PayoutRejected,
  PayoutSucceeded,
  UnknownWebhookEvent,
  WebhookEvent,
} from "./events.ts";
import type { RequiredFields } from "./receive/event-fields.ts";
import type { Claim, WebhookStore } from "./stores/store.ts";

/** The amount that was ordered: a positive number as `txn_amount`, or a decimal string such as `"1500.50"`. */
export type ExpectedAmount = number | string;

/** An order, with what is known of its end. Other properties, such as further columns of a row, are ignored. */
export interface ExpectedOrder {
  /** The amount that was ordered: positive. */
  readonly amount: ExpectedAmount;
  /**
   * True, or the status that took effect, for an order that is done: its events are acknowledged `DUPLICATE` and never
   * run, also when the store no longer knows the reference. With the status, `onConflict` is called then for another one.
   *
   * @default false, also for the null of a database
   */
  readonly settled?: boolean | "SUCCESS" | "FAILED" | "REJECTED" | null | undefined;
}

/**
 * Looks an order up by its reference; null or undefined when there is none (§6.5.2). Compare exactly: a look-up that
 * ignores case, padding or Unicode normalization finds one order under several references, each of which takes effect.
 */
export type ExpectedPayout = (
  reference: string,
  event: WebhookEvent,
) => ExpectedAmount | ExpectedOrder | null | undefined | Promise<ExpectedAmount | ExpectedOrder | null | undefined>;

/** Options of `new Webhooks({…})`, which `new ServiceApi({ webhooks: {…} })` takes as well. */
export interface WebhooksOptions extends WebhookHooks {
  /**
   * The checks that every delivery must pass, all of them, or explicitly `"none"`. There is no default: without
   * it `verify` and `handler` refuse (§5; docs/assumptions.md, W2).
   */
  readonly auth?: readonly WebhookCheck[] | "none" | undefined;
  /** Where claims are kept. @default memoryStore(): for one process only */
  readonly store?: WebhookStore | undefined;
  /** Returns the amount ordered under a reference (§6.5.2), or explicitly `"none"`. `handler` and `process` need it. */
  readonly expectedPayout?: ExpectedPayout | "none" | undefined;
  /**
   * Which fields must be there: what handlers need, or all that §6.2 shows, without contradictions: `"all"` also refuses
   * a `statusCode` or `acknowledged` that disagrees with the `status`, and a FAILED event with a `utr`.
   *
   * @default "essential"
   */
  readonly requiredFields?: RequiredFields | undefined;
  /**
   * How a delivery that could not be processed is made to come again. That the service repeats what was answered
   * `FAILED` is an assumption (§6.4): `http500` answers so under HTTP 500, `noResponse` keeps the answer back until the
   * seven seconds of §6.3 are over.
   *
   * @default "failed"
   */
  readonly redeliverBy?: "failed" | "http500" | "noResponse" | undefined;
  /** Milliseconds after which a delivery is answered, done or not; §6.3 allows 7,000. @default 5_500 */
  readonly ackTimeout?: number | undefined;
  /** Milliseconds after which the work on a delivery is told to stop; §8 allows 10,000. @default 10_000 */
  readonly workTimeout?: number | undefined;
  /** Milliseconds after which the claim of a process that died is free again. Longer than `workTimeout`. @default 12_000 */
  readonly claimLease?: number | undefined;
  /** The largest body in bytes. @default 65_536 */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds for a body to arrive. @default 2_000 */
  readonly bodyTimeout?: number | undefined;
  /** Addresses and CIDR ranges of your own proxies, whose `X-Forwarded-For` counts for `ipAllowList`. @default [] */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The HTTP status of refusals, which must be able to carry a body; §8 wants 200 always. @default 200 */
  readonly refusalStatus?: number | undefined;
  /** The clock, milliseconds since 1970, for signatures' timestamps. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/**
 * Functions that are called besides the handlers. For every delivery that is acknowledged `FAILED`, `onRefused` or
 * `onError` is called with the reason. What they throw changes no response: what `onRefused` throws is passed to
 * `onError`; what `onError` and `onLateError` throw is dropped. `onConflict` alone is waited for.
 */
export interface WebhookHooks {
  /**
   * Runs for a status that §6.2 does not name, at each delivery: such events are not recorded, so make it safe to repeat.
   *
   * @default acknowledged FAILED, and `onRefused` is called (`unknownStatus`)
   */
  readonly onUnknown?: EventHandler<UnknownWebhookEvent> | undefined;
  /**
   * Called for a delivery whose status differs from the one already done for its reference; the first one stays. Called
   * at least once for each such status: the delivery is acknowledged after it returns. If it throws, the delivery is
   * acknowledged `FAILED`, `onError` is called, and the next delivery calls it again.
   */
  readonly onConflict?: ((event: WebhookEvent, done: { readonly status: string }) => unknown) | undefined;
  /**
   * Called for every delivery that is refused. The error holds no secret and no body; its `clientReferenceId` is the one
   * that the delivery names, which an unauthenticated one may have made up. `event` is given once it is authentic and
   * parsed.
   */
  readonly onRefused?:
    | ((error: WebhookAuthError | WebhookPayloadError, event: WebhookEvent | undefined) => unknown)
    | undefined;
  /**
   * Called when an authentic delivery is acknowledged `FAILED`: a handler, the look-up, the store or `onConflict` failed,
   * or it was not done in time (a `WebhookProcessingError`, whose `reason` says more). Also called for a `DUPLICATE`
   * notification of a payout that has not taken effect here (`notProcessed`), which is acknowledged `DUPLICATE`, unless
   * it has a handler or the order is `settled`.
   */
  readonly onError?: ((error: unknown, event: WebhookEvent | undefined) => unknown) | undefined;
  /** Called for what fails after the response has left. */
  readonly onLateError?: ((error: unknown, event: WebhookEvent | undefined) => unknown) | undefined;
}

/** What a handler is given besides the event. */
export interface EventContext {
  /** Aborted at `workTimeout`: stop, and throw, so that nothing is committed after the claim's lease. */
  readonly signal: AbortSignal;
  /** The claim under which the handler runs; undefined for DUPLICATE and unknown statuses, which are not recorded. */
  readonly claim: Claim | undefined;
  /** Where the event differs from §6.2 without harm, such as a `statusCode` that disagrees with the `status`. */
  readonly warnings: readonly Issue[];
}

/** Does the work for an event. When it returns, the work must be durable; when it throws, the delivery comes again. */
export type EventHandler<Event> = (event: Event, context: EventContext) => unknown;

/** What `handler({…})` takes: the work for each status of §6.2, and hooks that win over those of the options. */
export interface WebhookHandlers extends WebhookHooks {
  /** Settled and credited to the beneficiary. */
  readonly SUCCESS: EventHandler<PayoutSucceeded>;
  /** Reversed or refunded. */
  readonly FAILED: EventHandler<PayoutFailed>;
  /** Refused by validation or compliance: no money moved. */
  readonly REJECTED: EventHandler<PayoutRejected>;
  /**
   * Already processed earlier, says the service; nothing is recorded, so it runs at each delivery.
   *
   * @default acknowledged DUPLICATE; `onError` is called (`notProcessed`) if the payout has not taken effect here
   */
  readonly DUPLICATE?: EventHandler<PayoutDuplicate> | undefined;
}

/** What the platform passes beside a `Request`. Cloudflare's `ctx`, Deno's `info`, Hono's `executionCtx` and Next.js's context fit as they are. */
export interface RequestContext {
  /** Keeps the process alive for work that outlives the answer. */
  waitUntil?(work: Promise<unknown>): void;
  /** The peer's address. */
  readonly remoteAddress?: string | undefined;
  /** The peer's address as Deno tells it. */
  readonly remoteAddr?: { readonly hostname?: string } | undefined;
  /** What Next.js passes to a route handler. Not used; without it TypeScript would refuse to export the handler there. */
  readonly params?: unknown;
}

/** Headers as `Headers`, as an object, or as Node's flat `rawHeaders`. */
export type HeaderSource =
  | Headers
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | readonly string[];

/** A raw body: text, bytes or a stream of bytes. */
export type BodySource =
  | string
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** A delivery where there is no `Request`. */
export interface WebhookDelivery {
  /** The headers as they arrived; names in any case. */
  readonly headers: HeaderSource;
  /** Raw; `unknown` because what a framework already parsed is recognised, and refused with an explanation. */
  readonly body: BodySource | unknown;
  /** The peer's address. */
  readonly remoteAddress?: string | undefined;
}

/** The answer to a delivery where there is no `Response`. */
export interface WebhookResponse {
  /** HTTP status: 200, unless `refusalStatus` or `redeliverBy` says otherwise. */
  readonly status: number;
  /** The response's headers: its content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of §6.3. */
  readonly body: string;
}

/**
 * Responds to deliveries. Any server that speaks `Request` and `Response` takes it as it is; adapters use `receive`.
 *
 * The overload without a context is last, where TypeScript looks first: Next.js 15, `Bun.serve` and Workers check the
 * second parameter of what they are given, and each has another type for it.
 */
export interface WebhookHandler {
  (request: Request, context: RequestContext | undefined): Promise<Response>;
  (request: Request): Promise<Response>;
  /** The same for a delivery that is no `Request`. It never rejects. */
  receive(delivery: WebhookDelivery, context?: RequestContext): Promise<WebhookResponse>;
}
