import type { KnownWebhookEvent, WebhookEvent } from "../events.ts";
import { isPayoutStatus } from "./event-fields.ts";

/**
 * Returns whether §6.2 names the status of this event.
 *
 * @example
 * ```ts
 * import { isKnownWebhookEvent, type WebhookEvent } from "serviceapi/webhooks";
 *
 * function record(event: WebhookEvent): void {
 *   if (!isKnownWebhookEvent(event)) console.log("new:", event.status);
 * }
 * ```
 */
export function isKnownWebhookEvent(event: WebhookEvent): event is KnownWebhookEvent {
  return isPayoutStatus(event.status);
}
