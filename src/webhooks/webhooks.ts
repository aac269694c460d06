import { ServiceApiError } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { causeOf } from "../shared/error-code.ts";
import { refuseOldRuntime } from "../shared/old-runtime.ts";
import { object, oneOf, readArguments, string } from "../shared/options.ts";
import type { WebhookCheck } from "./auth/check.ts";
import {
  type Acknowledgement,
  type AcknowledgementStatus,
  acknowledge,
  type ProcessResult,
  type WebhookEvent,
} from "./events.ts";
import { requireOptions, resolveHandlers, resolveOptions, type Settings } from "./options.ts";
import { processingError } from "./processing-errors.ts";
import { authenticate, useUpNonces } from "./receive/authenticate.ts";
import { doneWorkOf } from "./receive/delivery.ts";
import { processEvent, receiver, track, type UnderWay } from "./receive/handle-delivery.ts";
import { checkEvent, parseEvent, referenceRule } from "./receive/parse-event.ts";
import { alreadyParsed, type DeliverySource, readDelivery } from "./receive/read-delivery.ts";
import { type SignedDelivery, type SignOptions, signBy } from "./sign.ts";
import { type PayoutEntry, payoutKey, readEntry } from "./stores/record.ts";
import type { WebhookStore } from "./stores/store.ts";
import type { RequestContext, WebhookHandler, WebhookHandlers, WebhooksOptions } from "./types.ts";

/**
 * A receiver of payout notifications (§6): each takes effect once, and is acknowledged within seven seconds.
 *
 * @example
 * ```ts
 * import { Redis } from "ioredis";
 * import { hmac, Webhooks } from "serviceapi/webhooks";
 * import { redisStore } from "serviceapi/stores";
 *
 * const webhooks = new Webhooks({
 *   auth: [hmac({ header: "x-signature", secrets: [secret] })],
 *   store: redisStore(new Redis()),
 *   findOrder: (reference) => orders.amountOf(reference),
 * });
 *
 * export const POST = webhooks.handler({
 *   SUCCESS: (event) => ledger.credit(event.client_referenceId, event.txn_amount),
 *   FAILED: (event) => ledger.reverse(event.client_referenceId),
 *   REJECTED: (event) => ledger.reverse(event.client_referenceId),
 * });
 * ```
 */
export class Webhooks {
  readonly #settings: Settings;
  readonly #underWay: UnderWay = new Set();

  /**
   * @param options - See {@link WebhooksOptions}. `parse` and `acknowledge` need none; `verify` needs `auth`, and
   *   `handler` needs `auth`, `store` and `findOrder`.
   * @throws ConfigurationError for an unknown option, an invalid value, or a Node that is too old.
   */
  constructor(options: WebhooksOptions = {}) {
    refuseOldRuntime();
    this.#settings = resolveOptions(options);
  }

  /**
   * Returns a function that responds to deliveries: it authenticates, parses, checks, claims, runs your handler,
   * commits and acknowledges, in that order (docs/assumptions.md, W13). It takes a `Request`;
   * `serviceapi/node` adapts it to other servers.
   *
   * @param handlers - The work for each status, and hooks; see {@link WebhookHandlers}.
   * @returns A function that never rejects and responds within `ackTimeout` (§6.3). It throws a ConfigurationError for
   *   anything but a `Request`, such as that of Express or the context of Hono, before any work.
   * @throws WebhookAuthError with `reason: "notConfigured"` while `auth` is not set.
   * @throws ConfigurationError while `store` or `findOrder` is not set, for a missing or unknown handler, or one
   *   that is not a function.
   */
  handler(handlers: WebhookHandlers): WebhookHandler {
    const settings = requireOptions(this.#settings, "auth", "findOrder", "store");
    const resolved = resolveHandlers("webhooks.handler", handlers, settings);
    const receive = receiver(settings, resolved, this.#underWay);
    const respond = (request: Request, context?: RequestContext): Promise<Response> => {
      // Node's requests have plain headers. Thrown, and not rejected: Express 4 does not respond to a rejection.
      const { arrayBuffer, headers }: Partial<Request> = Object(request);
      if (typeof arrayBuffer !== "function" || typeof headers?.get !== "function") {
        throw new ConfigurationError(notARequest);
      }
      return receive(request, context).then(({ status, headers, body }) => new Response(body, { status, headers }));
    };
    return Object.assign(respond, { receive });
  }

  /**
   * Processes an event that your application obtained itself, such as the status of a payout that it requested from the
   * service. The amount is checked, and the event is claimed, run and committed as a delivery is. A later delivery with
   * the same status is a DUPLICATE. Nothing is authenticated: pass only what you trust.
   *
   * @param event - The event, with the fields of `requiredFields`. Pass final statuses only.
   * @param handlers - Those of {@link Webhooks.handler}. Of the hooks, `onUnknown` and `onConflict` are called, or
   *   `onFailure` for a conflict without it; all other errors are thrown.
   * @returns `SUCCESS` once the handler has run and its claim is committed, `DUPLICATE` if that was so before. While
   *   the store is away, the commit is retried until it responds, however long that takes; this keeps the process
   *   alive.
   * @throws WebhookPayloadError for an invalid event, an unknown reference, another amount or an unknown status.
   * @throws WebhookProcessingError while a delivery of the reference is being processed, if the claim was lost, or for
   *   a DUPLICATE event without a handler if the payout has not taken effect.
   * @throws ConfigurationError while `store` or `findOrder` is not set, or for invalid handlers.
   *
   * @example
   * ```ts
   * import { memoryStore, type WebhookHandlers, Webhooks } from "serviceapi/webhooks";
   *
   * const webhooks = new Webhooks({ store: memoryStore(), findOrder: () => 8500 }); // one process
   * const handlers: WebhookHandlers = { SUCCESS: (event) => console.log(event.utr), FAILED() {}, REJECTED() {} };
   * const paid = { transactionId: "T1", txn_amount: 8500, utr: "U1" };
   * const found = { status: "SUCCESS", client_referenceId: "order-17", ...paid };
   * console.log(await webhooks.process(found, handlers)); // SUCCESS, and then DUPLICATE
   * ```
   */
  async process(event: object, handlers: WebhookHandlers): Promise<ProcessResult> {
    const settings = requireOptions(this.#settings, "findOrder", "store");
    const resolved = resolveHandlers("webhooks.process", handlers, settings);
    readArguments("webhooks.process", { event }, { event: object });
    // A copy: the caller may change the object while its order is looked up.
    const work = processEvent(checkEvent({ ...event }, settings.requiredFields), settings, resolved);
    void track(this.#underWay, work);
    return work;
  }

  /**
   * Waits for the work that is under way: that of `handler` and `process`, also what runs on after its response was
   * sent, commits that the store has not recorded yet, and hooks. For a server that is shut down: stop accepting
   * connections first (docs/webhooks.md).
   *
   * @returns A promise that resolves when that work has ended. A handler takes up to `workTimeout` if it obeys its
   *   `signal`; a commit is retried for as long as the store is away; hooks and requests to the store take as long as
   *   they do. Do not await it in a handler or a hook, which would wait for itself.
   *
   * @example
   * ```ts
   * import { memoryStore, Webhooks } from "serviceapi/webhooks";
   *
   * const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
   * const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
   * void handler(new Request("https://pay.example.in/hook", { method: "POST", body: "{}" }));
   * await webhooks.idle(); // the delivery has been processed
   * ```
   */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /**
   * Authenticates a delivery (§5) and returns its event (§6.2). Processing it only one time is then up to you;
   * {@link Webhooks.handler} does that too.
   *
   * @param request - A `Request` that was not read yet, or headers and a raw body.
   * @param context - Holds the peer's IP address, for `ipAllowList`.
   * @throws WebhookAuthError if a check does not pass; WebhookPayloadError if the body is not an event;
   *   WebhookProcessingError while another delivery holds its nonce (`inFlight`); ConfigurationError for anything that has no headers, and for a nonce while `store` is not set.
   */
  async verify(request: DeliverySource, context?: RequestContext): Promise<WebhookEvent> {
    const settings = requireOptions(this.#settings, "auth");
    const received = await readDelivery("webhooks.verify", request, context, settings);
    const { nonces, stale } = await authenticate(received, settings.auth);
    if (stale !== undefined) throw stale;
    const event = parseEvent(received.body, settings.requiredFields);
    if (nonces.length > 0) await useUpNonces(nonces, requireOptions(settings, "store"));
    return event;
  }

  /**
   * Returns the event in a raw body that you have authenticated by other means: unchanged, but with the four statuses
   * of §6.2 in capitals, and integers beyond 2^53 as strings of their digits.
   *
   * @param body - The raw body: a string, or UTF-8 bytes.
   * @throws WebhookPayloadError if it is not an event; `reason` and `issues` say why.
   */
  parse(body: string | Uint8Array): WebhookEvent {
    if (typeof body !== "string" && !ArrayBuffer.isView(body)) throw alreadyParsed();
    return parseEvent(body, this.#settings.requiredFields);
  }

  /**
   * Returns the body that acknowledges a delivery (§6.3), for a server that you wrote yourself. Send it with HTTP 200
   * within seven seconds, and `SUCCESS` only when the work is committed.
   *
   * @param event - The event, or another object with its `client_referenceId`.
   * @param result - The result of processing it: `SUCCESS`, `FAILED` or `DUPLICATE`.
   * @throws ConfigurationError for any other result, or an event without a reference.
   */
  acknowledge(event: Pick<WebhookEvent, "client_referenceId">, result: AcknowledgementStatus): Acknowledgement {
    const { client_referenceId }: typeof event = Object(event);
    const rules = { event: object, result: acknowledgements, client_referenceId: string };
    readArguments("webhooks.acknowledge", { event, result, client_referenceId }, rules);
    return acknowledge(client_referenceId, result);
  }

  /**
   * Returns a delivery signed as the service would sign it, for tests. The time is that of the option `now` of this
   * object.
   *
   * @param event - The event, or its exact JSON text.
   * @param scheme - The checks that the delivery passes. @default those of `auth`
   * @param options - See {@link SignOptions}; `now` overrides the time.
   * @throws ConfigurationError for an invalid event or scheme, a check that fails to sign, an unknown option, an
   *   invalid value, or an option for a scheme without a check that signs; WebhookAuthError with
   *   `reason: "notConfigured"` without a scheme, while `auth` is not set.
   */
  async sign(
    event: object | string,
    scheme?: WebhookCheck | readonly WebhookCheck[] | "none",
    options?: SignOptions,
  ): Promise<SignedDelivery> {
    const by = scheme === undefined ? requireOptions(this.#settings, "auth").auth : scheme;
    return signBy("webhooks.sign", this.#settings.now, event, by, options);
  }

  /**
   * Returns the store's entry for a reference: what took effect, and the conflicts that came after it. For operators.
   *
   * @param reference - The `client_referenceId`.
   * @returns The entry, or undefined if the store has none.
   * @throws ConfigurationError for an invalid reference, or while `store` is not set.
   * @throws WebhookProcessingError with the reason `storeFailed` if the store fails; `cause` is what it threw.
   */
  async find(reference: string): Promise<PayoutEntry | undefined> {
    const entry = await this.#askStore("webhooks.find", reference, async (store, key) => store.find(key));
    return entry && readEntry(entry);
  }

  /**
   * Removes the store's entry for a reference: its next delivery takes effect again. For operators. A delivery whose nonce
   * was used up stays refused: pass its event to {@link Webhooks.process}.
   *
   * @param reference - The `client_referenceId`.
   * @throws ConfigurationError for an invalid reference, or while `store` is not set.
   * @throws WebhookProcessingError with the reason `storeFailed` if the store fails; `cause` is what it threw.
   */
  async forget(reference: string): Promise<void> {
    await this.#askStore("webhooks.forget", reference, async (store, key) => {
      await store.forget(key);
      doneWorkOf(store).delete(key);
    });
  }

  async #askStore<T>(owner: string, reference: string, ask: (store: WebhookStore, key: string) => Promise<T>) {
    readArguments(owner, { reference }, { reference: referenceRule });
    const { store } = requireOptions(this.#settings, "store");
    const key = await payoutKey(reference);
    try {
      return await ask(store, key);
    } catch (error) {
      // The store may be the application's own.
      const isOurs = ServiceApiError.isInstance(error);
      if (isOurs && error.kind !== "webhook_processing") throw error;
      const message = isOurs ? error.message : `${owner}: the store failed. See \`cause\`.`;
      throw processingError("storeFailed", reference, isOurs ? error.cause : causeOf(error), message);
    }
  }
}

const notARequest =
  "webhooks.handler: pass a `Request` of fetch. Express, node:http: nodeHandler(handler) of serviceapi/node, beside fastifyWebhook, koaHandler and lambdaHandler. Hono: handler(c.req.raw). Elsewhere: handler.receive({ headers, body }).";

const acknowledgements = oneOf("SUCCESS", "FAILED", "DUPLICATE");
