import { WebhookAuthError } from "../../errors/webhook.ts";
import { sleep } from "../../shared/promises.ts";
import type { WebhookEvent } from "../events.ts";
import type { Settings } from "../options.ts";
import { processingError } from "../processing-errors.ts";
import { nonceKey } from "../stores/keys.ts";
import type { Claim, ClaimResult, WebhookStore } from "../stores/store.ts";
import { beginCommit, type Commit, type KnownWork } from "./commit.ts";
import type { DeliveryContext } from "./delivery-context.ts";

/**
 * Claims the event's reference. If another delivery is processing it, waits for its end or the deadline: a delivery
 * in progress does not make this one a duplicate, because it may still fail (docs/assumptions.md, W13).
 *
 * @returns The claim, or the result of an earlier delivery.
 * @throws WebhookProcessingError while another delivery is processing it, or if that has just failed.
 */
export async function claimPayout(
  { status, client_referenceId }: WebhookEvent,
  key: string,
  work: KnownWork,
  context: DeliveryContext,
): Promise<Exclude<ClaimResult, { kind: "inFlight" }>> {
  const { settings, ackDeadline, state } = context;
  const { store, claimLease, workTimeout } = settings;
  let hasWaited = false;
  for (let pause = 20; ; pause = Math.min(pause * 2, 250), hasWaited = true) {
    if (await awaitRun(work, client_referenceId, context)) hasWaited = true;
    await awaitCommit(work.commit, client_referenceId, context);
    const result = await store.claim(key, { status, lease: claimLease });
    if (result.kind === "done") return result;
    if (result.kind === "claimed") {
      // The store may have been so slow that this claim took over from a handler that began meanwhile.
      await work.run;
      if (isDone(work.commit, result.takenOver)) {
        await handOver(result.claim, work.commit, work, context);
        continue;
      }
      const isTooLate = ackDeadline.elapsed() >= workTimeout;
      // A claim that came after a wait means that the other delivery failed, unless its process died.
      if (!isTooLate && (result.takenOver || !hasWaited)) {
        state.obstacle = "ackTimeout";
        return result;
      }
      await store.release(result.claim);
      throw processingError(isTooLate ? "workTimeout" : "inFlight", client_referenceId);
    }
    state.obstacle = "inFlight";
    if (ackDeadline.remaining() <= 0) throw processingError("inFlight", client_referenceId);
    await sleep(Math.max(1, Math.min(pause, ackDeadline.remaining())));
  }
}

/**
 * A handler that still runs in this process must not run again here, even after its lease. Returns whether there was
 * one.
 */
async function awaitRun(work: KnownWork, reference: string, { ackDeadline, state }: DeliveryContext): Promise<boolean> {
  if (work.run === undefined) return false;
  state.obstacle = "inFlight";
  await Promise.race([work.run, ackDeadline.expired]);
  if (work.run !== undefined) throw processingError("inFlight", reference);
  return true;
}

/**
 * Work that this process has done, and that the store has not recorded, must not run again here, even after its lease.
 * Retries the commit immediately: a redelivery is a good moment to try.
 */
async function awaitCommit(
  commit: Commit | undefined,
  reference: string,
  { ackDeadline, state }: DeliveryContext,
): Promise<void> {
  if (commit === undefined || commit.result !== undefined) return;
  state.obstacle = "commitPending";
  commit.retryNow();
  await Promise.race([commit.ended, ackDeadline.expired]);
  if (commit.result === undefined) throw processingError("commitPending", reference);
}

/** Whether a claim that was just taken is for work that this process did meanwhile. */
function isDone(commit: Commit | undefined, takenOver: boolean): commit is Commit {
  return commit !== undefined && (commit.result === undefined || (commit.result === "lost" && takenOver));
}

/** Lets a claim that took over from a delivery of this process record that delivery's work, under its status. */
async function handOver(claim: Claim, commit: Commit, work: KnownWork, context: DeliveryContext): Promise<void> {
  const matching = claim.status === commit.status ? claim : await exchange(claim, commit.status, context.settings);
  if (matching === undefined) return;
  if (commit.result === undefined) commit.replaceClaim(matching);
  else beginCommit(matching, work, context);
}

/** Returns the same claim for another status; undefined if somebody else was faster. */
async function exchange(
  { key, ...claim }: Claim,
  status: string,
  { store, claimLease }: Settings,
): Promise<Claim | undefined> {
  await store.release({ key, ...claim });
  const result = await store.claim(key, { status, lease: claimLease });
  return result.kind === "claimed" ? result.claim : undefined;
}

/** Claims a nonce, which is accepted once (§5). */
export async function claimNonce(nonce: string, { store, claimLease }: Settings): Promise<Claim> {
  const result = await store.claim(nonceKey(nonce), { status: "NONCE", lease: claimLease });
  if (result.kind === "claimed") return result.claim;
  throw nonceReused();
}

/** Uses up all nonces of a delivery, or none if one of them was used before. */
export async function useUpNonces(nonces: readonly string[], settings: Settings): Promise<void> {
  const { store } = settings;
  const claims: Claim[] = [];
  try {
    for (const nonce of nonces) claims.push(await claimNonce(nonce, settings));
    for (const claim of claims) if ((await store.complete(claim)) !== true) throw nonceReused();
  } catch (error) {
    // A claim that cannot be released now expires by itself; a nonce that is used up stays so.
    await settleNonces(claims, false, store).catch(() => {});
    throw error;
  }
}

/**
 * A nonce is used up if its delivery took effect; otherwise it is free for the redelivery (docs/assumptions.md, W5).
 */
export async function settleNonces(claims: readonly Claim[], isUsedUp: boolean, store: WebhookStore): Promise<void> {
  await Promise.all(claims.map((claim) => (isUsedUp ? store.complete(claim) : store.release(claim))));
}

function nonceReused(): WebhookAuthError {
  return new WebhookAuthError({ reason: "nonceReused", message: "The nonce was used before." });
}
