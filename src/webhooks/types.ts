import type { Issue } from "../errors/base.ts";
import type { WebhookError } from "../errors/webhook.ts";
import type { WebhookCheck } from "./auth/check.ts";
import type {
  PayoutDuplicate,
  PayoutFailed,
  PayoutRejected,
  PayoutSucceeded,
  UnknownWebhookEvent,
  WebhookEvent,
} from "./events.ts";
import type { RequiredFields } from "./fields.ts";
import type { Claim, WebhookStore } from "./stores/store.ts";

/** The amount that was ordered: a number as `txn_amount`, or decimal text such as `"1500.50"`. */
export type ExpectedAmount = number | string;

/** Looks an order up by its reference; null or undefined when there is none (§6.5.2). */
export type ExpectedPayout = (
  reference: string,
  event: WebhookEvent,
) => ExpectedAmount | null | undefined | Promise<ExpectedAmount | null | undefined>;

/** Options of `new Webhooks({…})`, which `new ServiceApi({ webhooks: {…} })` takes as well. */
export interface WebhooksOptions extends WebhookHooks {
  /**
   * The checks that every delivery must pass, all of them, or `"none"` in as many words. There is no default: without
   * it `verify` and `handler` refuse (§5; docs/assumptions.md, W2).
   */
  readonly auth?: readonly WebhookCheck[] | "none" | undefined;
  /** Where claims are kept. @default memoryStore(): for one process only */
  readonly store?: WebhookStore | undefined;
  /** Says which amount was ordered under a reference (§6.5.2), or `"none"` in as many words. `handler` asks for it. */
  readonly expectedPayout?: ExpectedPayout | "none" | undefined;
  /** Which fields must be there: what handlers need, or all that §6.2 shows. @default "essential" */
  readonly requiredFields?: RequiredFields | undefined;
  /**
   * How a delivery that could not be processed is made to come again. That the service repeats what was answered
   * `FAILED` is an assumption (§6.4): `http500` answers so under HTTP 500, `noAnswer` keeps the answer back until the
   * seven seconds of §6.3 are over.
   *
   * @default "failed"
   */
  readonly redeliverBy?: "failed" | "http500" | "noAnswer" | undefined;
  /** Milliseconds after which a delivery is answered, done or not; §6.3 allows 7,000. @default 5_500 */
  readonly ackDeadline?: number | undefined;
  /** Milliseconds after which the work on a delivery is told to stop; §8 allows 10,000. @default 10_000 */
  readonly workDeadline?: number | undefined;
  /** Milliseconds after which the claim of a process that died is free again. Longer than `workDeadline`. @default 12_000 */
  readonly claimLease?: number | undefined;
  /** The largest body in bytes. @default 65_536 */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds for a body to arrive. @default 2_000 */
  readonly bodyTimeout?: number | undefined;
  /** Addresses and CIDR ranges of your own proxies, whose `X-Forwarded-For` counts for `ipAllowList`. @default [] */
  readonly trustedProxies?: readonly string[] | undefined;
  /** The HTTP status of refusals; §8 wants 200 always. @default 200 */
  readonly refusalStatus?: number | undefined;
  /** The clock, milliseconds since 1970, for signatures' timestamps. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** What is told to you besides the events. What a hook throws changes no answer. */
export interface WebhookHooks {
  /** Runs for a status that §6.2 does not name, and for `REJECTED` without a handler of its own. @default answered FAILED */
  readonly onUnknown?: EventHandler<UnknownWebhookEvent | PayoutRejected> | undefined;
  /** Told once of a delivery whose status differs from the one already done for its reference; the first one stays. */
  readonly onConflict?: ((event: WebhookEvent, done: { readonly status: string }) => unknown) | undefined;
  /** Told of every delivery that is refused. The error holds no secret and no body. */
  readonly onRefused?: ((error: WebhookError) => unknown) | undefined;
  /** Told when a handler, the look-up or the store failed and the delivery was answered FAILED for it. */
  readonly onError?: ((error: unknown, event: WebhookEvent | undefined) => unknown) | undefined;
  /** Told of what fails after the answer has left. */
  readonly onLateError?: ((error: unknown, event: WebhookEvent | undefined) => unknown) | undefined;
}

/** What a handler is given besides the event. */
export interface EventContext {
  /** Aborted at `workDeadline`: stop, and throw, so that nothing is committed after the claim's lease. */
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
  /** Refused by validation or compliance. @default onUnknown */
  readonly REJECTED?: EventHandler<PayoutRejected> | undefined;
  /** Already processed earlier; nothing is recorded. @default answered DUPLICATE */
  readonly DUPLICATE?: EventHandler<PayoutDuplicate> | undefined;
}

/** What the platform gives beside a `Request`. Cloudflare's `ctx`, Deno's `info`, Hono's `executionCtx` and Next.js's context fit as they are. */
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
export interface WebhookAnswer {
  /** HTTP status: 200, unless `refusalStatus` or `redeliverBy` says otherwise. */
  readonly status: number;
  /** The response's headers: its content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text of §6.3. */
  readonly body: string;
}

/** Answers deliveries. Any server that speaks `Request` and `Response` takes it as it is; adapters use `receive`. */
export interface WebhookHandler {
  (request: Request, context?: RequestContext): Promise<Response>;
  /** The same for a delivery that is no `Request`. It never rejects. */
  receive(delivery: WebhookDelivery, context?: RequestContext): Promise<WebhookAnswer>;
}
