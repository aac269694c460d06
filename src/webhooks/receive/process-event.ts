import type { WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import { checkPayout } from "./check-amount.ts";
import { type DeliverySetup, startDelivery } from "./delivery-context.ts";
import { type ProcessResult, runEvent } from "./run-handler.ts";

/** Takes an event through the steps of a delivery from the check of its amount: nobody waits for a response. */
export async function processEvent(event: WebhookEvent, setup: DeliverySetup): Promise<ProcessResult> {
  const context = startDelivery(setup, () => processingError("workTimeout", event.client_referenceId));
  context.workDeadline.start(setup.settings.workTimeout);
  try {
    return await runEvent(event, await checkPayout(event, setup.expectedPayout), context);
  } finally {
    context.ackDeadline.stop();
    context.workDeadline.stop();
  }
}
