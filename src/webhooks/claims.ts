import { type Deadline, sleep } from "./deadline.ts";
import type { Claim, ClaimResult, WebhookStore } from "./stores/store.ts";

/** What asking for a claim needs. */
export interface ClaimTerms {
  readonly store: WebhookStore;
  readonly claimLease: number;
  /** Milliseconds since the delivery came after which no work begins. */
  readonly workDeadline: number;
  readonly deadline: Deadline;
}

/** The key of a reference in the store. */
export function payoutKey(reference: string): string {
  return `payout:${reference}`;
}

/** The key of a nonce in the store. */
export function nonceKey(nonce: string): string {
  return `nonce:${nonce}`;
}

/**
 * Claims a reference. Where another delivery is at work on it, waits for its end or the deadline: handling in flight is
 * no duplicate, for it may yet fail (policy 43).
 *
 * @returns The claim, what was done before, or `inFlight` where the other delivery is still at it or has just failed.
 */
export async function claimPayout(reference: string, status: string, terms: ClaimTerms): Promise<ClaimResult> {
  const { store, claimLease, deadline } = terms;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    const result = await store.claim(payoutKey(reference), { status, leaseMs: claimLease });
    const hasWaited = pause > 20;
    if (result.kind === "done") return result;
    if (result.kind === "claimed" && isUseful(result.takenOver, hasWaited, terms)) return result;
    if (result.kind === "claimed") {
      await store.release(result.claim);
      return { kind: "inFlight" };
    }
    if (deadline.remaining() <= 0) return result;
    await sleep(Math.max(1, Math.min(pause, deadline.remaining())));
  }
}

/** A claim that came after a wait means that the other delivery failed, unless its process died; one too late is no use. */
function isUseful(takenOver: boolean, hasWaited: boolean, { deadline, workDeadline }: ClaimTerms): boolean {
  return (takenOver || !hasWaited) && deadline.elapsed() < workDeadline;
}

/**
 * Records that the work is committed. The work is done by now, so a store that is briefly away is asked again: to give
 * up would do the work twice.
 */
export async function completeClaim(claim: Claim, { store, deadline, workDeadline }: ClaimTerms): Promise<void> {
  for (let pause = 50; ; pause *= 2) {
    try {
      if (await store.complete(claim)) return;
    } catch (error) {
      if (deadline.elapsed() + pause >= workDeadline) throw error;
      await sleep(pause);
      continue;
    }
    throw new Error("The claim was lost: the work took longer than `claimLease`, and another delivery took it over.");
  }
}
