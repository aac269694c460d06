import { acknowledge } from "./acknowledgement.ts";
import type { WebhookCheck } from "./auth/check.ts";
import { authenticate, requireAuth } from "./authenticate.ts";
import { payoutKey } from "./claims.ts";
import type { Acknowledgement, AcknowledgementStatus, WebhookEvent } from "./events.ts";
import { claimNonce } from "./nonces.ts";
import { resolveHandlers, resolveOptions, type Settings } from "./options.ts";
import { parseEvent } from "./parse.ts";
import { requireExpectedPayout } from "./payout.ts";
import { type DeliverySource, receiveDelivery } from "./received.ts";
import { type ReceiverSetup, receive } from "./receiver.ts";
import { type SignedDelivery, type SignOptions, sign } from "./sign.ts";
import type { RequestContext, WebhookDelivery, WebhookHandler, WebhookHandlers, WebhooksOptions } from "./types.ts";

/**
 * The receiving side of the payout notifications (§6): each takes effect once, and is answered within seven seconds.
 *
 * @example
 * ```ts
 * import { hmac, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({
 *   auth: [hmac({ header: "x-signature", secrets: [secret] })],
 *   expectedPayout: (reference) => orders.amountOf(reference),
 * });
 *
 * export const POST = webhooks.handler({
 *   SUCCESS: (event) => ledger.credit(event.client_referenceId, event.txn_amount),
 *   FAILED: (event) => ledger.reverse(event.client_referenceId),
 * });
 * ```
 */
export class Webhooks {
  readonly #settings: Settings;

  /**
   * @param options - See {@link WebhooksOptions}. Without any, `parse` and `acknowledge` work; the rest asks for `auth`.
   * @throws ConfigurationError for an unknown option or an impossible value.
   */
  constructor(options: WebhooksOptions = {}) {
    this.#settings = resolveOptions(options);
  }

  /**
   * Answers deliveries: authenticates, parses, checks, claims, runs your handler, commits and acknowledges, in that
   * order (docs/assumptions.md, W13). Takes a `Request`; `serviceapi/webhooks/node` and `/lambda` adapt it to other servers.
   *
   * @param handlers - The work for each status, and hooks; see {@link WebhookHandlers}.
   * @returns A function that never rejects and answers within `ackDeadline` (§6.3).
   * @throws WebhookAuthError with `reason: "notConfigured"` while `auth` is not set.
   * @throws ConfigurationError while `expectedPayout` is not set, for a handler that is missing or no function, or a name that is none.
   */
  handler(handlers: WebhookHandlers): WebhookHandler {
    const setup: ReceiverSetup = {
      settings: this.#settings,
      auth: requireAuth(this.#settings.auth),
      expectedPayout: requireExpectedPayout(this.#settings.expectedPayout),
      handlers: resolveHandlers(handlers, this.#settings),
    };
    const respond = async (request: Request, context?: RequestContext): Promise<Response> => {
      const { status, headers, body } = await receive(request, context, setup);
      return new Response(body, { status, headers });
    };
    return Object.assign(respond, {
      receive: (delivery: WebhookDelivery, context?: RequestContext) => receive(delivery, context, setup),
    });
  }

  /**
   * Proves where a delivery came from (§5) and reads its event (§6.2). To act on it once is then up to you;
   * {@link Webhooks.handler} does it all.
   *
   * @param request - A `Request` that was not read yet, or headers and a raw body.
   * @param context - Tells the peer's address, for `ipAllowList`.
   * @throws WebhookAuthError when a check does not pass; WebhookPayloadError when the content is no event.
   */
  async verify(request: DeliverySource, context?: RequestContext): Promise<WebhookEvent> {
    const settings = this.#settings;
    const auth = requireAuth(settings.auth);
    const receiving = receiveDelivery(request, context, settings);
    const received = receiving instanceof Promise ? await receiving : receiving;
    const passing = authenticate(received, auth);
    const nonces = passing instanceof Promise ? await passing : passing;
    const event = parseEvent(received.body, settings.requiredFields);
    for (const nonce of nonces) {
      await settings.store.complete(await claimNonce(nonce, settings.store, settings.claimLease));
    }
    return event;
  }

  /**
   * The event in a raw body whose origin you have proved by other means. Nothing is converted (§6.2).
   *
   * @param body - Raw: text, or UTF-8 bytes.
   * @throws WebhookPayloadError when it is not an event; `reason` and `issues` say why.
   */
  parse(body: string | Uint8Array): WebhookEvent {
    return parseEvent(body, this.#settings.requiredFields);
  }

  /**
   * The body that answers a delivery (§6.3), for a server that you wrote yourself. Send it with HTTP 200 within seven
   * seconds, and `SUCCESS` only when the work is committed.
   *
   * @param event - The event, or anything else that carries its `client_referenceId`.
   * @param result - How you fared with it.
   */
  acknowledge(event: Pick<WebhookEvent, "client_referenceId">, result: AcknowledgementStatus): Acknowledgement {
    return acknowledge(event.client_referenceId, result);
  }

  /**
   * Makes a delivery as the service would sign it, for tests.
   *
   * @param event - The event, or its exact JSON text.
   * @param scheme - The check to satisfy. @default what stands in `auth`
   * @param options - See {@link SignOptions}.
   */
  async sign(
    event: object | string,
    scheme: WebhookCheck | readonly WebhookCheck[] | "none" = requireAuth(this.#settings.auth),
    options?: SignOptions,
  ): Promise<SignedDelivery> {
    return sign(event, scheme, options);
  }

  /**
   * Removes what the store knows of a reference: its next delivery takes effect again. For operators.
   *
   * @param reference - The `client_referenceId`.
   */
  forget(reference: string): Promise<void> {
    return this.#settings.store.forget(payoutKey(reference));
  }
}
