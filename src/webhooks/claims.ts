import { findPendingCommit, PendingCommit } from "./commits.ts";
import { type Deadline, sleep } from "./deadline.ts";
import type { WebhookEvent } from "./events.ts";
import { claimLost, processingError } from "./processing-errors.ts";
import type { Progress } from "./progress.ts";
import type { Claim, ClaimResult, WebhookStore } from "./stores/store.ts";

/** What asking for a claim needs. */
export interface ClaimTerms {
  readonly store: WebhookStore;
  readonly claimLease: number;
  /** Milliseconds since the delivery came after which no work begins. */
  readonly workDeadline: number;
  readonly deadline: Deadline;
  readonly progress: Progress;
}

/**
 * Claims the event's reference. Where another delivery is at work on it, waits for its end or the deadline: handling in
 * flight is no duplicate, for it may yet fail (docs/assumptions.md, W13).
 *
 * @returns The claim, or what was done before.
 * @throws WebhookProcessingError while the other delivery is at work, or when it has just failed.
 */
export async function claimPayout(
  { status, client_referenceId }: WebhookEvent,
  key: string,
  terms: ClaimTerms,
): Promise<Exclude<ClaimResult, { kind: "inFlight" }>> {
  const { store, claimLease, workDeadline, deadline, progress } = terms;
  await awaitCommit(key, client_referenceId, terms);
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    const result = await store.claim(key, { status, leaseMs: claimLease });
    if (result.kind === "done") return result;
    const isTooLate = deadline.elapsed() >= workDeadline;
    if (result.kind === "claimed") {
      // A claim that came after a wait means that the other delivery failed, unless its process died.
      if (!isTooLate && (result.takenOver || pause === 20)) {
        progress.obstacle = "deadlinePassed";
        return result;
      }
      await store.release(result.claim);
      throw processingError(isTooLate ? "deadlinePassed" : "inFlight", client_referenceId);
    }
    progress.obstacle = "inFlight";
    if (deadline.remaining() <= 0) throw processingError("inFlight", client_referenceId);
    await sleep(Math.max(1, Math.min(pause, deadline.remaining())));
  }
}

/**
 * Work that this process has done, and that the store could not record, must not run again here, even after its lease.
 * What is known of it is asked for at once: a redelivery is a good moment to try.
 */
async function awaitCommit(key: string, reference: string, { store, deadline, progress }: ClaimTerms): Promise<void> {
  const commit = findPendingCommit(store, key);
  if (commit === undefined) return;
  progress.obstacle = "commitPending";
  commit.retryNow();
  await Promise.race([commit.ended, deadline.expired]);
  if (!commit.hasEnded) throw processingError("commitPending", reference);
}

/**
 * Records that the work is committed. The work is done by now, so a store that is away is asked again until it
 * responds, however long that takes: to give up would do the work twice.
 *
 * @throws WebhookProcessingError when the lease ran out meanwhile and another delivery took the claim over.
 */
export async function completeClaim(claim: Claim, { store, progress }: ClaimTerms): Promise<void> {
  const isComplete = (await tryToComplete(claim, store, progress)) ?? (await keepCompleting(claim, store, progress));
  if (!isComplete) throw claimLost(claim);
}

async function keepCompleting(claim: Claim, store: WebhookStore, progress: Progress): Promise<boolean> {
  const commit = new PendingCommit(store, claim.key);
  try {
    for (let pause = 50; ; pause = Math.min(2 * pause, 30_000)) {
      await commit.sleep(pause);
      const isComplete = await tryToComplete(claim, store, progress);
      if (isComplete !== undefined) return isComplete;
    }
  } finally {
    commit.end();
  }
}

/** Returns undefined if the store did not respond. */
async function tryToComplete(claim: Claim, store: WebhookStore, progress: Progress): Promise<boolean | undefined> {
  try {
    return (await store.complete(claim)) === true;
  } catch (error) {
    progress.obstacle = "commitPending";
    progress.commitError = error;
    return undefined;
  }
}
