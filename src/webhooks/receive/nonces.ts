import { WebhookAuthError } from "../../errors/webhook.ts";
import type { ReceiverSettings } from "../options.ts";
import { nonceKey } from "../stores/keys.ts";
import type { Claim, WebhookStore } from "../stores/store.ts";

/**
 * Claims the nonces of a delivery, each of which is accepted once (§5).
 *
 * @param claims - Takes the claims, to be settled when the delivery has ended.
 * @returns Why the delivery is refused, if one of them was used before.
 */
export async function claimNonces(
  nonces: readonly string[],
  claims: Claim[],
  { store, claimLease }: ReceiverSettings,
): Promise<WebhookAuthError | undefined> {
  for (const nonce of nonces) {
    const result = await store.claim(nonceKey(nonce), { effect: "NONCE", lease: claimLease });
    if (result.kind !== "claimed") return nonceReused();
    claims.push(result.claim);
  }
  return undefined;
}

/** Uses up all nonces of a delivery, or none if one of them was used before. */
export async function useUpNonces(nonces: readonly string[], settings: ReceiverSettings): Promise<void> {
  const { store } = settings;
  const claims: Claim[] = [];
  try {
    const refusal = await claimNonces(nonces, claims, settings);
    if (refusal !== undefined) throw refusal;
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
