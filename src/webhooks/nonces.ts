import { WebhookAuthError } from "../errors/webhook.ts";
import { nonceKey } from "./receive/references.ts";
import type { Claim, WebhookStore } from "./stores/store.ts";

/** Takes a nonce, which is accepted once (§5). */
export async function claimNonce(nonce: string, store: WebhookStore, leaseMs: number): Promise<Claim> {
  const result = await store.claim(nonceKey(nonce), { status: "NONCE", leaseMs });
  if (result.kind === "claimed") return result.claim;
  throw nonceReused();
}

/** Uses up all nonces of a delivery, or none if one of them was used before. */
export async function useUpNonces(nonces: readonly string[], store: WebhookStore, leaseMs: number): Promise<void> {
  const claims: Claim[] = [];
  try {
    for (const nonce of nonces) claims.push(await claimNonce(nonce, store, leaseMs));
    for (const claim of claims) if ((await store.complete(claim)) !== true) throw nonceReused();
  } catch (error) {
    // What cannot be given back now runs out by itself; what is used up stays so.
    await settleNonces(claims, false, store).catch(() => {});
    throw error;
  }
}

/** A nonce is used up when the delivery was; otherwise it is free for the redelivery (docs/assumptions.md, W5). */
export async function settleNonces(claims: readonly Claim[], isUsedUp: boolean, store: WebhookStore): Promise<void> {
  await Promise.all(claims.map((claim) => (isUsedUp ? store.complete(claim) : store.release(claim))));
}

function nonceReused(): WebhookAuthError {
  return new WebhookAuthError({ reason: "nonceReused", message: "The nonce was used before." });
}
