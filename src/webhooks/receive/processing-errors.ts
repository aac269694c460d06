import { WebhookProcessingError, type WebhookProcessingReason } from "../../errors/webhook.ts";

const messages: Record<WebhookProcessingReason, string> = {
  inFlight:
    "Another delivery of this reference is being processed, or has just failed. The redelivery is acknowledged once that is known.",
  deadlinePassed: "The work was not done within `ackDeadline`. It runs on, and the redelivery finds out.",
  commitPending:
    "The work is done, but the store has not recorded it. The store is asked again until it responds; do not repeat the work.",
  workDeadlinePassed: "The work was not done within `workDeadline`. Its `signal` was aborted.",
  claimLost:
    "The claim was lost: the work took longer than `claimLease`, and another delivery took it over. Check whether the work was done twice.",
  notProcessed:
    "A DUPLICATE notification says that this payout was processed earlier, but it has not taken effect here. Ask the service for its status, and pass that to `webhooks.process`.",
  storeFailed: "The store failed. See `cause`.",
};

/** Says why an authentic delivery did not take effect or is not acknowledged as processed, or what the store could not do. */
export function processingError(
  reason: WebhookProcessingReason,
  clientReferenceId: string | undefined,
  cause?: unknown,
  message = messages[reason],
): WebhookProcessingError {
  return new WebhookProcessingError({ reason, message, clientReferenceId, cause });
}

/** For a claim that another delivery took over. */
export function claimLost(clientReferenceId: string | undefined): WebhookProcessingError {
  return processingError("claimLost", clientReferenceId);
}
