import { type Acknowledgement, type AcknowledgementStatus, statusCodes } from "../events.ts";
import type { WebhookResponse } from "../types.ts";
import type { Delivery } from "./delivery.ts";
import { findReference } from "./references.ts";

/** Outcome of a delivery: one of the three cases of §6.3, or refused because of its authentication or body. */
export type DeliveryResult = AcknowledgementStatus | "refused";

/**
 * Returns the response to a delivery: JSON of §6.3, which says nothing about the server or the reason (§6.5.3), with
 * HTTP 200 (§8), unless a failure asks to be redelivered by another status.
 */
export function responseOf(result: DeliveryResult, delivery: Delivery): WebhookResponse {
  const reference = findReference(delivery) ?? "";
  return {
    status: result === "FAILED" && delivery.settings.redeliverBy === "http500" ? 500 : 200,
    headers: { "content-type": "application/json" },
    body: JSON.stringify(acknowledge(reference, result === "refused" ? "FAILED" : result)),
  };
}

/** Returns the body of §6.3. It speaks of our processing, not of the payout's outcome (docs/assumptions.md, W12). */
export function acknowledge(reference: string, status: AcknowledgementStatus): Acknowledgement {
  return {
    http_status: true,
    status,
    client_referenceId: reference,
    statusCode: statusCodes[status],
    acknowledged: "1",
  };
}
