import { sleep } from "../../shared/promises.ts";
import { contradicts, effectOf, readEffect } from "../effect.ts";
import type { PayoutDuplicate, WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import { payoutKey } from "../stores/keys.ts";
import type { Claim, ClaimResult, StoreEntry, WebhookStore } from "../stores/store.ts";
import type { ExpectedOrder } from "../types.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/**
 * Claims the event's reference. If another delivery is processing it, waits for its end or the deadline: a delivery
 * in progress does not make this one a duplicate, because it may still fail (docs/assumptions.md, W13). Only the store
 * and its lease say whether one is in progress: the promise of another delivery may never end.
 *
 * @returns The claim, or the result of an earlier delivery.
 * @throws WebhookProcessingError while another delivery is processing it, or if that has just failed.
 */
export async function claimPayout(
  event: WebhookEvent,
  key: string,
  context: DeliveryContext,
): Promise<Exclude<ClaimResult, { kind: "inFlight" }>> {
  const { settings, ackDeadline, state } = context;
  const { store, claimLease, workTimeout } = settings;
  const { client_referenceId } = event;
  const request = { effect: effectOf(event), lease: claimLease };
  const works = doneWorkOf(store);
  for (let pause = 20, hasWaited = false; ; pause = Math.min(pause * 2, 250), hasWaited = true) {
    const askedAt = performance.now();
    const result = await store.claim(key, request).catch((error: unknown) => {
      throw isPending() ? processingError("commitPending", client_referenceId, error) : error;
    });
    const work = works.get(key);
    // This process did the work, before the claim or while it was asked for: it is recorded, and does not run again.
    if (work && result.kind === "claimed" && (isPending() || (result.takenOver && askedAt < work.lostAt))) {
      work.claim = { ...result.claim, effect: work.claim.effect };
      await commit(work, context);
      continue;
    }
    if (result.kind !== "inFlight") works.delete(key);
    if (result.kind === "done") return result;
    if (result.kind === "claimed") {
      const isTooLate = ackDeadline.elapsed() >= workTimeout;
      // A claim that came after a wait means that the other delivery failed, unless its process died.
      if (!isTooLate && (result.takenOver || !hasWaited)) {
        state.obstacle = "ackTimeout";
        return result;
      }
      await store.release(result.claim);
      throw processingError(isTooLate ? "workTimeout" : "inFlight", client_referenceId);
    }
    state.obstacle = isPending() ? "commitPending" : "inFlight";
    if (ackDeadline.remaining() <= 0) throw processingError(state.obstacle, client_referenceId, state.commitError);
    await sleep(Math.min(pause, ackDeadline.remaining()));
  }

  function isPending(): boolean {
    return works.get(key)?.lostAt === Infinity;
  }
}

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

/**
 * Work that this process has done and that the store has not recorded: it must not run again here. It is data, and no
 * promise of its delivery: where a request ends with its promises, as on Workers, the redelivery records it.
 */
export interface DoneWork {
  /** The claim under which it is recorded: a newer one if another delivery of this process took it over. */
  claim: Claim;
  /** When the store said that the claim was lost to another; `Infinity` before. */
  lostAt: number;
}

const doneWork = new WeakMap<WebhookStore, Map<string, DoneWork>>();

/** The work of this process that a store has not recorded, by key. */
export function doneWorkOf(store: WebhookStore): Map<string, DoneWork> {
  const known = doneWork.get(store) ?? new Map<string, DoneWork>();
  doneWork.set(store, known);
  return known;
}

/** A request to the store that takes longer may hang indefinitely, on a connection that nobody closed. */
export const attemptTimeout = 5_000;
const firstPause = 50;
const maxPause = 30_000;

/**
 * Records work that is done, in a store that may be away. `complete` is retried until the store has responded, however
 * long that takes: to give up would do the work twice. Keeps the process alive meanwhile.
 *
 * @returns Whether it is recorded. If not, its lease ran out and another delivery took the claim over.
 */
export async function commit(work: DoneWork, { settings: { store }, state }: DeliveryContext): Promise<boolean> {
  const works = doneWorkOf(store);
  const { key } = work.claim;
  works.set(key, work);
  work.lostAt = Infinity;
  state.obstacle = "commitPending";
  let isRecorded: boolean | undefined;
  const end = Promise.withResolvers<void>();
  // An attempt that was given up may still get its response, which then counts.
  const attempt = async (claim: Claim) => {
    try {
      const isDone = (await store.complete(claim)) === true;
      if (!isDone && claim !== work.claim) return;
      isRecorded = isDone;
      end.resolve();
    } catch (error) {
      state.commitError = error;
    }
  };
  for (let pause = firstPause; isRecorded === undefined; pause = Math.min(2 * pause, maxPause)) {
    await within(attemptTimeout, end.promise, attempt(work.claim));
    if (isRecorded === undefined) await within(pause, end.promise);
  }
  if (isRecorded) works.delete(key);
  else work.lostAt = performance.now();
  return isRecorded;
}

/** Waits for the first of some promises, for a number of milliseconds at most. */
export async function within(duration: number, ...promises: readonly Promise<unknown>[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isOver = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, duration);
  });
  await Promise.race([isOver, ...promises]);
  clearTimeout(timer);
}
