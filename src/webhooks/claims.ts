import type { WebhookEvent } from "./events.ts";
import { type Deadline, sleep } from "./receive/ack-deadline.ts";
import { Commit } from "./receive/commits.ts";
import type { Progress } from "./receive/delivery-state.ts";
import type { KnownWork } from "./receive/known-work.ts";
import { claimLost, processingError } from "./receive/processing-errors.ts";
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
  work: KnownWork,
  terms: ClaimTerms,
): Promise<Exclude<ClaimResult, { kind: "inFlight" }>> {
  const { store, claimLease, workDeadline, deadline, progress } = terms;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250)) {
    await awaitCommit(work.commit, client_referenceId, terms);
    const result = await store.claim(key, { status, leaseMs: claimLease });
    if (result.kind === "done") return result;
    if (result.kind === "claimed" && isDone(work.commit, result.takenOver)) {
      await handOver(result.claim, work.commit, work, terms);
      continue;
    }
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
 * Work that this process has done, and that the store has not recorded, must not run again here, even after its lease.
 * The store is asked again at once: a redelivery is a good moment to try.
 */
async function awaitCommit(
  commit: Commit | undefined,
  reference: string,
  { deadline, progress }: ClaimTerms,
): Promise<void> {
  if (commit === undefined || commit.result !== undefined) return;
  progress.obstacle = "commitPending";
  commit.retryNow();
  await Promise.race([commit.ended, deadline.expired]);
  if (commit.result === undefined) throw processingError("commitPending", reference);
}

/** Whether a claim that was just given is for work that this process did meanwhile. */
function isDone(commit: Commit | undefined, takenOver: boolean): commit is Commit {
  return commit !== undefined && (commit.result === undefined || (commit.result === "lost" && takenOver));
}

/** Lets a claim that took over from a delivery of this process record that delivery's work, under its status. */
async function handOver(claim: Claim, commit: Commit, work: KnownWork, terms: ClaimTerms): Promise<void> {
  const fitting = claim.status === commit.status ? claim : await exchange(claim, commit.status, terms);
  if (fitting === undefined) return;
  if (commit.result === undefined) commit.replaceClaim(fitting);
  else work.commit = commitOf(fitting, terms);
}

/** The same claim for another status; undefined if somebody else was faster. */
async function exchange(
  { key, ...claim }: Claim,
  status: string,
  { store, claimLease }: ClaimTerms,
): Promise<Claim | undefined> {
  await store.release({ key, ...claim });
  const result = await store.claim(key, { status, leaseMs: claimLease });
  return result.kind === "claimed" ? result.claim : undefined;
}

/**
 * Records that the claim's work is committed, and waits for the store to respond.
 *
 * @throws WebhookProcessingError when the lease ran out meanwhile and another delivery took the claim over.
 */
export async function completeClaim(
  claim: Claim,
  { client_referenceId }: WebhookEvent,
  work: KnownWork,
  terms: ClaimTerms,
): Promise<void> {
  terms.progress.obstacle = "commitPending";
  const commit = commitOf(claim, terms);
  work.commit = commit;
  await commit.ended;
  if (commit.result !== "recorded") throw claimLost(client_referenceId);
}

function commitOf(claim: Claim, { store, progress }: ClaimTerms): Commit {
  return new Commit(store, claim, (error) => {
    progress.commitError = error;
  });
}
