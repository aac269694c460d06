import { sleep } from "../../shared/promises.ts";
import { type Acknowledgement, type AcknowledgementStatus, statusCodes } from "../events.ts";
import { maxAckTimeout, type Settings } from "../options.ts";
import type { WebhookResponse } from "../types.ts";
import type { Delivery } from "./delivery.ts";
import { findReference } from "./references.ts";

/** Outcome of a delivery: one of the three cases of §6.3, or refused because of its authentication or body. */
export type DeliveryResult = AcknowledgementStatus | "refused";

/** Far enough beyond the deadline of §6.3 that the service has given up. */
const tooLate = maxAckTimeout + 500;

/** Waits with the response to a failure until the service has given up, if that is how it is asked to redeliver. */
export async function beforeFailure(delivery: Delivery): Promise<void> {
  if (delivery.settings.redeliverBy === "noResponse") await sleep(tooLate - delivery.elapsed());
}

/** Returns the response to a delivery: JSON of §6.3, which says nothing about the server or the reason (§6.5.3). */
export function responseOf(result: DeliveryResult, delivery: Delivery): WebhookResponse {
  const reference = findReference(delivery) ?? "";
  return {
    status: httpStatusOf(result, delivery.settings),
    headers: { "content-type": "application/json" },
    body: JSON.stringify(acknowledge(reference, result === "refused" ? "FAILED" : result)),
  };
}

/** §8: always 200, unless the options say otherwise. */
function httpStatusOf(result: DeliveryResult, { refusalStatus, redeliverBy }: Settings): number {
  if (result === "refused") return refusalStatus;
  return result === "FAILED" && redeliverBy === "http500" ? 500 : 200;
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
