import { acknowledge } from "./acknowledgement.ts";
import type { Acknowledgement, AcknowledgementStatus, WebhookEvent } from "./events.ts";
import { resolveOptions, type Settings } from "./options.ts";
import { parseEvent } from "./parse.ts";
import type { WebhooksOptions } from "./types.ts";

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
}
