import type { Issue } from "../../errors/base.ts";
import { WebhookPayloadError } from "../../errors/webhook.ts";
import type { PayoutFailed, PayoutRejected, PayoutSucceeded, WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import { payoutKey } from "../stores/keys.ts";
import type { Claim } from "../stores/store.ts";
import type { EventContext, EventHandler } from "../types.ts";
import {
  acknowledgeDone,
  acknowledgeDuplicate,
  acknowledgeSettled,
  attemptTimeout,
  claimPayout,
  commit,
  type Settled,
  within,
} from "./claim.ts";
import type { DeliveryContext } from "./delivery-context.ts";
import { findWarnings } from "./parse-event.ts";

/** Result of processing an event: its handler ran and the claim is committed, or that was the case before. */
export type ProcessResult = "SUCCESS" | "DUPLICATE";

/**
 * Claims, runs and commits an event, and returns how to acknowledge it (docs/assumptions.md, W13): SUCCESS only once it
 * is committed, DUPLICATE only if it was committed before. Rejects if a handler, `onConflict` or the store fails.
 */
export function runEvent(event: WebhookEvent, settled: Settled, context: DeliveryContext): Promise<ProcessResult> {
  const { handlers } = context;
  switch (event.status) {
    case "SUCCESS":
      return runOnce(event, handlers.SUCCESS, settled, context);
    case "FAILED":
      return runOnce(event, handlers.FAILED, settled, context);
    case "REJECTED":
      return runOnce(event, handlers.REJECTED, settled, context);
    case "DUPLICATE":
      return handlers.DUPLICATE
        ? runUnclaimed(event, handlers.DUPLICATE, context)
        : acknowledgeDuplicate(event, settled, context);
    default:
      return handlers.onUnknown
        ? runUnclaimed(event, handlers.onUnknown, context)
        : Promise.reject(unknownStatus(event));
  }
}

/** §6.5.1: the first processed status is stored, later ones are ignored. */
async function runOnce<Event extends PayoutSucceeded | PayoutFailed | PayoutRejected>(
  event: Event,
  handler: EventHandler<Event>,
  settled: Settled,
  context: DeliveryContext,
): Promise<ProcessResult> {
  const key = await payoutKey(event.client_referenceId);
  if (settled) return acknowledgeSettled(event, key, settled, context);
  const result = await claimPayout(event, key, context);
  if (result.kind === "done") return acknowledgeDone(event, key, result, context);
  await runOrRelease(event, handler, result.claim, context);
  if (await commit({ claim: result.claim, lostAt: Infinity }, context)) return "SUCCESS";
  throw processingError("claimLost", event.client_referenceId);
}

async function runOrRelease<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event>,
  claim: Claim,
  context: DeliveryContext,
): Promise<void> {
  try {
    context.state.isRunning = true;
    await handler(event, new HandlerContext(event, claim, context));
  } catch (error) {
    // If the store fails or hangs, the claim expires. The error to report is that of the handler.
    await within(
      attemptTimeout,
      context.settings.store.release(claim).catch(() => {}),
    );
    throw error;
  }
}

/** Nothing is recorded for a DUPLICATE or a status that §6.2 does not name. */
async function runUnclaimed<Event extends WebhookEvent>(
  event: Event,
  handler: EventHandler<Event>,
  context: DeliveryContext,
): Promise<ProcessResult> {
  context.state.isRunning = true;
  await handler(event, new HandlerContext(event, undefined, context));
  return "SUCCESS";
}

function unknownStatus({ client_referenceId }: WebhookEvent): WebhookPayloadError {
  return new WebhookPayloadError({
    reason: "unknownStatus",
    message: "The event has a status that this version does not know. Handle it in `onUnknown`.",
    clientReferenceId: client_referenceId,
  });
}

/**
 * A class, because most handlers ask for neither `signal` nor `warnings`, and getters of a class cost nothing to make.
 */
class HandlerContext implements EventContext {
  readonly claim: Claim | undefined;
  readonly #event: WebhookEvent;
  readonly #delivery: DeliveryContext;

  constructor(event: WebhookEvent, claim: Claim | undefined, delivery: DeliveryContext) {
    this.claim = claim;
    this.#event = event;
    this.#delivery = delivery;
  }

  get signal(): AbortSignal {
    return this.#delivery.workDeadline.signal;
  }

  get warnings(): readonly Issue[] {
    return findWarnings({ ...this.#event });
  }
}
