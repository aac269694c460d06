import { WebhookProcessingError, type WebhookProcessingReason } from "../errors/webhook.ts";

/** The reasons whose message is here. */
export type ProcessingReason = Exclude<WebhookProcessingReason, "secretUnavailable">;

const messages: Record<ProcessingReason, string> = {
  inFlight:
    "Another delivery of this reference, or with this nonce, is under way, or has just failed, or its process died: its claim then ends within `claimLease`. The redelivery gets its result.",
  ackTimeout: "Processing takes longer than `ackTimeout`. It continues, and the redelivery gets its result.",
  commitPending: "The work is done, and its commit is retried until the store responds. Do not do the work again.",
  workTimeout: "The work was not done within `workTimeout`. Its `signal` was aborted.",
  claimLost:
    "The claim was lost to another after `claimLease`, or was committed before. Check whether the work was done twice.",
  notProcessed:
    "A DUPLICATE notification arrived for a payout that has not taken effect here. Request its status from the service and pass it to `webhooks.process`.",
  conflict: "The notification contradicts what took effect, which stays. Ask the service operator which is right.",
  storeFailed: "The store failed. See `cause`.",
};

/** Returns the error of an authentic delivery that did not take effect or cannot be acknowledged, or of a store. */
export function processingError(
  reason: ProcessingReason,
  clientReferenceId: string | undefined,
  cause?: unknown,
  message = messages[reason],
): WebhookProcessingError {
  return new WebhookProcessingError({ reason, message, clientReferenceId, cause });
}
