import { WebhookProcessingError, type WebhookProcessingReason } from "../errors/webhook.ts";

const messages: Record<WebhookProcessingReason, string> = {
  inFlight:
    "Another delivery of this reference is being processed, or has just failed. The redelivery is acknowledged once that is known.",
  deadlinePassed:
    "The work was not done within `ackTimeout`. The work runs on; the redelivery is acknowledged with its result.",
  commitPending:
    "The work is done, but the store has not recorded it. The commit is retried until the store responds; do not repeat the work.",
  workDeadlinePassed: "The work was not done within `workTimeout`. Its `signal` was aborted.",
  claimLost:
    "The claim was lost: the work took longer than `claimLease`, and another delivery took the claim over. Check whether the work was done twice.",
  notProcessed:
    "A DUPLICATE notification says that this payout was processed earlier, but it has not taken effect here. Ask the service for its status, and pass that to `webhooks.process`.",
  storeFailed: "The store failed. See `cause`.",
};

/** Returns the error of an authentic delivery that did not take effect or cannot be acknowledged, or of a store. */
export function processingError(
  reason: WebhookProcessingReason,
  clientReferenceId: string | undefined,
  cause?: unknown,
  message = messages[reason],
): WebhookProcessingError {
  return new WebhookProcessingError({ reason, message, clientReferenceId, cause });
}
