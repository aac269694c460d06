import { sleep } from "../../shared/promises.ts";
import { effectOf } from "../effect.ts";
import type { WebhookEvent } from "../events.ts";
import { processingError } from "../processing-errors.ts";
import type { ClaimResult } from "../stores/store.ts";
import { commit, doneWorkOf } from "./commit.ts";
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
