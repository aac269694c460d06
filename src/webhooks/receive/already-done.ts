import type { PayoutDuplicate, WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import { payoutKey } from "../stores/keys.ts";
import type { ExpectedOrder } from "../types.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/** Whether the order is done, as `expectedPayout` says. */
export type Settled = ExpectedOrder["settled"];

/**
 * Acknowledges an event whose reference is done. The status that was done first stays. A conflict is recorded only
 * after `onConflict` has returned: if it throws, or the process dies, the next delivery calls it again.
 *
 * @param conflictsWith - The status that was done, if it is another one and the conflict is not recorded yet.
 */
export async function acknowledgeDone(
  event: WebhookEvent,
  key: string,
  conflictsWith: string | undefined,
  { handlers, settings, state }: DeliveryContext,
): Promise<"DUPLICATE"> {
  if (conflictsWith !== undefined) {
    state.isRunning = true;
    await handlers.onConflict?.(event, { status: conflictsWith });
    await settings.store.recordConflict(key, event.status);
  }
  return "DUPLICATE";
}

/**
 * Acknowledges an event of a settled order, which runs nothing. The store may know conflicts that were reported
 * already.
 */
export async function acknowledgeSettled(
  event: WebhookEvent,
  key: string,
  settled: Settled,
  context: DeliveryContext,
): Promise<"DUPLICATE"> {
  const entry = await context.settings.store.find(key);
  const first = entry?.state === "done" ? entry.status : settled;
  const isConflict = typeof first === "string" && first !== event.status && !entry?.conflicts.includes(event.status);
  return acknowledgeDone(event, key, isConflict ? first : undefined, context);
}

/**
 * Acknowledges a DUPLICATE notification: the payout was processed earlier. If it has not taken effect here, its own
 * notification may be lost, and somebody must know (docs/assumptions.md, W21).
 *
 * @throws WebhookProcessingError if it has not taken effect here.
 */
export async function acknowledgeDuplicate(
  event: PayoutDuplicate,
  settled: Settled,
  { settings }: DeliveryContext,
): Promise<"DUPLICATE"> {
  if (settled) return "DUPLICATE";
  const entry = await settings.store.find(await payoutKey(event.client_referenceId));
  if (entry?.state === "done") return "DUPLICATE";
  throw processingError("notProcessed", event.client_referenceId);
}
