import { contradicts, effectOf, readEffect } from "../effect.ts";
import type { PayoutDuplicate, WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import { payoutKey } from "../stores/keys.ts";
import type { StoreEntry } from "../stores/store.ts";
import type { ExpectedOrder } from "../types.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/** Whether the order is done, as `expectedPayout` says. */
export type Settled = ExpectedOrder["settled"];

/**
 * Acknowledges an event whose reference is done. What was done first stays. A conflict is recorded only after
 * `onConflict`, or `onError` without it, has returned: if it throws, or the process dies, the next delivery calls it
 * again.
 */
export async function acknowledgeDone(
  event: WebhookEvent,
  key: string,
  done: Pick<StoreEntry, "effect" | "conflicts">,
  { handlers, settings, state }: DeliveryContext,
): Promise<"DUPLICATE"> {
  const effect = effectOf(event);
  if (contradicts(effect, done.effect) && !done.conflicts.includes(effect)) {
    state.isRunning = true;
    const { onConflict, onError } = handlers;
    await (onConflict
      ? onConflict(event, readEffect(done.effect))
      : onError?.(processingError("conflict", event.client_referenceId), event));
    await settings.store.recordConflict(key, effect);
  }
  return "DUPLICATE";
}

/**
 * Acknowledges an event of a settled order, which runs nothing. The store may know what took effect, and conflicts that
 * were reported already.
 */
export async function acknowledgeSettled(
  event: WebhookEvent,
  key: string,
  settled: Settled,
  context: DeliveryContext,
): Promise<"DUPLICATE"> {
  const entry = await context.settings.store.find(key);
  const ordered = typeof settled === "string" && { effect: `status=${settled}`, conflicts: [] };
  const done = entry?.state === "done" ? entry : ordered;
  return done ? acknowledgeDone(event, key, done, context) : "DUPLICATE";
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
  context: DeliveryContext,
): Promise<"DUPLICATE"> {
  if (settled || (await isDone(event, context))) return "DUPLICATE";
  throw processingError("notProcessed", event.client_referenceId);
}

/**
 * Whether what an event says has taken effect; for a DUPLICATE notification, whatever took effect. Reads the store
 * alone, so that a replay has no effect.
 */
export async function isDone(event: WebhookEvent, { settings }: DeliveryContext): Promise<boolean> {
  const entry = await settings.store.find(await payoutKey(event.client_referenceId));
  if (entry?.state !== "done") return false;
  return event.status === "DUPLICATE" || !contradicts(effectOf(event), entry.effect);
}
