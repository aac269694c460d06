import { WebhookAuthError, type WebhookError } from "../../errors/webhook.ts";
import { authError, type ReceivedDelivery } from "../auth/check.ts";
import { isNonce, maxNonce } from "../auth/freshness.ts";
import type { WebhookEvent } from "../events.ts";
import type { Auth, ReceiverSettings } from "../options.ts";
import { processingError } from "../processing-errors.ts";
import { effectOf, identityOf, isKnownTo, nonceKey, payoutKey } from "../stores/record.ts";
import type { Claim, WebhookStore } from "../stores/store.ts";

/**
 * Runs the checks, all of which must pass (§5). A check passes by returning nothing, a nonce, or why it is stale.
 * Anything else, such as `false`, refuses the delivery.
 *
 * @returns The nonces that the checks returned, to be accepted once, and why the delivery is too old to take effect.
 */
export async function authenticate(delivery: ReceivedDelivery, auth: Auth) {
  // Two checks may read the same header: its nonce is claimed once.
  const nonces = new Set<string>();
  let stale: WebhookAuthError | undefined;
  for (const check of auth === "none" ? [] : auth) {
    const returned: unknown = check.check(delivery);
    // No `await` for a check that has decided at once: it costs as much as the comparison of a signature.
    const outcome = returned === undefined ? undefined : await returned;
    if (outcome === undefined) continue;
    const given = Object.entries<unknown>(Object(outcome)).filter(([, value]) => value !== undefined);
    let isRead = given.length > 0;
    for (const [name, value] of given) {
      if (name === "stale" && WebhookAuthError.isInstance(value)) stale ??= value;
      else if (name === "nonce" && isNonce(value)) nonces.add(value);
      // Nothing else may be there: `valid: false` would say no.
      else isRead = false;
    }
    if (!isRead) {
      // `custom` returns only objects here: its function accepts by returning true, not undefined.
      const wrong = typeof outcome === "object" ? "an object that is not only" : "neither undefined nor";
      const message = `The check "${check.name}" returned ${wrong} { nonce }, a string of 1 to ${maxNonce} printable characters.`;
      throw authError("refusedByCheck", message);
    }
  }
  return { nonces: [...nonces], stale };
}

/** The effect of a nonce that says nothing about its event. */
export const usedUp = "NONCE";

type NonceSettings = Pick<ReceiverSettings, "store" | "claimLease">;

/**
 * Claims the nonces of a delivery, each of which is accepted once (§5).
 *
 * @param claims - Takes the claims, to be settled when the delivery has ended. Those that it has are not claimed again.
 * @returns Why the delivery cannot take effect, if one of them was used before, or another delivery has it.
 */
export async function claimNonces(
  nonces: readonly string[],
  claims: Claim[],
  { store, claimLease }: NonceSettings,
): Promise<WebhookError | undefined> {
  for (const nonce of nonces.slice(claims.length)) {
    const result = await store.claim(nonceKey(nonce), { effect: usedUp, lease: claimLease });
    if (result.kind === "inFlight") return processingError("inFlight", undefined);
    if (result.kind === "done") return nonceReused();
    claims.push(result.claim);
  }
  return undefined;
}

/**
 * Whether an authentic delivery was accepted before, with one of its nonces, or what its event says has taken effect or
 * was reported as a conflict; for a DUPLICATE notification, whatever took effect. Reads the store alone, so that a
 * replay has no effect.
 */
export async function isDone(event: WebhookEvent, nonces: readonly string[], store: WebhookStore): Promise<boolean> {
  const key = await payoutKey(event.client_referenceId);
  const effect = effectOf(event);
  for (const nonce of nonces) {
    if ((await store.find(nonceKey(nonce)))?.effect === identityOf(key, effect)) return true;
  }
  const entry = await store.find(key);
  return entry?.state === "done" && (event.status === "DUPLICATE" || isKnownTo(entry, effect));
}

/** Uses up all nonces of a delivery, or none if one of them cannot be. */
export async function useUpNonces(nonces: readonly string[], settings: NonceSettings): Promise<void> {
  const claims: Claim[] = [];
  try {
    const refusal = await claimNonces(nonces, claims, settings);
    if (refusal !== undefined) throw refusal;
    for (const claim of claims) if ((await settings.store.complete(claim)) !== true) throw nonceReused();
  } catch (error) {
    // A claim that cannot be released now expires by itself; a nonce that is used up stays so.
    await settleNonces(claims, undefined, settings.store).catch(() => {});
    throw error;
  }
}

/**
 * A nonce is used up if its delivery took effect; otherwise it is free for the redelivery (docs/assumptions.md, W5).
 *
 * @param effect - {@link usedUp}, or the identity of its event; undefined to release it.
 */
export async function settleNonces(
  claims: readonly Claim[],
  effect: string | undefined,
  store: WebhookStore,
): Promise<void> {
  await Promise.all(
    claims.map((claim) => (effect === undefined ? store.release(claim) : store.complete({ ...claim, effect }))),
  );
}

function nonceReused(): WebhookAuthError {
  return authError("nonceReused", "The nonce was used before.");
}
