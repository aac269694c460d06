import { WebhookAuthError } from "../errors/webhook.ts";
import type { ReceivedDelivery, WebhookCheck } from "./auth/check.ts";

/** What stands in `auth`, once it is known to be configured. */
export type Auth = readonly WebhookCheck[] | "none";

/** Refuses where `auth` was forgotten: there is no default (policy 34). */
export function requireAuth(auth: Auth | undefined): Auth {
  if (auth === "none" || (Array.isArray(auth) && auth.length > 0)) return auth;
  throw new WebhookAuthError({
    reason: "notConfigured",
    message:
      'Webhooks: set `auth` to a list of checks, such as [hmac({ header, secrets })], or to "none" in as many words.',
  });
}

/**
 * Runs every check; all must pass (§5).
 *
 * @returns The nonces to be accepted once.
 */
export function authenticate(delivery: ReceivedDelivery, auth: Auth): readonly string[] | Promise<readonly string[]> {
  return auth === "none" ? [] : runFrom(0, delivery, auth, []);
}

function runFrom(
  start: number,
  delivery: ReceivedDelivery,
  checks: readonly WebhookCheck[],
  nonces: string[],
): readonly string[] | Promise<readonly string[]> {
  for (let index = start; index < checks.length; index += 1) {
    const outcome = checks[index]?.check(delivery);
    // Checks that are done at once (HMAC by node:crypto) cost no promise.
    if (isPromise(outcome)) {
      return outcome.then((passed) => {
        if (passed) nonces.push(passed.nonce);
        return runFrom(index + 1, delivery, checks, nonces);
      });
    }
    if (outcome) nonces.push(outcome.nonce);
  }
  return nonces;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value;
}
