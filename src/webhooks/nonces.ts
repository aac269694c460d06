import { WebhookAuthError } from "../errors/webhook.ts";
import { nonceKey } from "./references.ts";
import type { Claim, WebhookStore } from "./stores/store.ts";

/** Takes a nonce, which is accepted once (§5). */
export async function claimNonce(nonce: string, store: WebhookStore, leaseMs: number): Promise<Claim> {
  const result = await store.claim(nonceKey(nonce), { status: "NONCE", leaseMs });
  if (result.kind === "claimed") return result.claim;
  throw new WebhookAuthError({ reason: "nonceReused", message: "The nonce was used before." });
}

/** A nonce is used up when the delivery was; otherwise it is free for the redelivery (docs/assumptions.md, W5). */
export async function settleNonces(claims: readonly Claim[], isUsedUp: boolean, store: WebhookStore): Promise<void> {
  await Promise.all(claims.map((claim) => (isUsedUp ? store.complete(claim) : store.release(claim))));
}
