import type { WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import type { RequestContext, WebhookResponse } from "../types.ts";
import { beforeFailure, responseOf } from "./acknowledge.ts";
import { type Auth, authenticate } from "./authenticate.ts";
import { checkPayout } from "./check-amount.ts";
import { Delivery } from "./delivery.ts";
import { type DeliveryContext, type DeliverySetup, type HandlerSetup, startDelivery } from "./delivery-context.ts";
import { isDone, type ProcessResult, runEvent } from "./lifecycle.ts";
import { claimNonces } from "./nonces.ts";
import { parseEvent } from "./parse-event.ts";
import { type DeliverySource, readDelivery } from "./read-delivery.ts";

/**
 * Responds to one delivery within `ackTimeout`, however slow bodies, handlers and stores are (docs/assumptions.md,
 * W16). Work that is not done by then runs on. Never rejects.
 */
export async function handleDelivery(
  source: DeliverySource,
  platform: RequestContext | undefined,
  setup: HandlerSetup,
): Promise<WebhookResponse> {
  const delivery = new Delivery(setup, platform);
  const { context } = delivery;
  const work = delivery.follow(takeEffect(source, platform, setup.auth, context));
  setup.underWay.add(work);
  await Promise.race([work, context.ackDeadline.expired]);
  const result = delivery.resultAtDeadline(work);
  if (result === "FAILED") await beforeFailure(context);
  return responseOf(result, context);
}

/**
 * The order of docs/assumptions.md, W13: authenticate, parse, check, claim, run, commit. Rejects with a
 * `WebhookAuthError` or `WebhookPayloadError` for a refusal, and with any other error for a failure.
 */
async function takeEffect(
  source: DeliverySource,
  platform: RequestContext | undefined,
  auth: Auth,
  context: DeliveryContext,
): Promise<ProcessResult> {
  const { settings, state } = context;
  const received = await readDelivery("webhooks.handler", source, platform, settings);
  state.body = received.body;
  const { nonces, stale } = await authenticate(received, auth);
  const refusal = stale ?? (await claimNonces(nonces, state.nonces, settings));
  const event = parseEvent(received.body, settings.requiredFields);
  state.event = event;
  if (refusal !== undefined) {
    // An authentic redelivery that was not signed anew (docs/assumptions.md, W5), or a replay: it changes nothing.
    if (await isDone(event, context)) return "DUPLICATE";
    throw refusal;
  }
  return runEvent(event, await checkPayout(event, context.expectedPayout), context);
}

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
