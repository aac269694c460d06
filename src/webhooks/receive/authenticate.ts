import { WebhookAuthError } from "../../errors/webhook.ts";
import { listOf, objectWith, type Rule } from "../../shared/options.ts";
import type { ReceivedDelivery, WebhookCheck } from "../auth/check.ts";

/** What stands in `auth`, once it is known to be configured. */
export type Auth = readonly WebhookCheck[] | "none";

const checks = listOf(objectWith("check"));
const advice = 'set `auth` to a list of checks, such as [hmac({ header, secrets })], or explicitly to "none"';

/** `auth` is a list of checks, of which at least one proves who sent a delivery, or `"none"`. */
export const authRule: Rule = (value, name) => {
  if (value === "none") return undefined;
  const complaint = checks(value, name);
  if (complaint !== undefined) return `${complaint}; ${advice}`;
  return Array.isArray(value) && value.every((check) => check.provesNoSender === true)
    ? "needs a check that proves who sent a delivery, such as basic() or ipAllowList(), beside freshness()"
    : undefined;
};

/** Refuses while `auth` is not set: there is no default (docs/assumptions.md, W2). */
export function requireAuth(auth: Auth | undefined): Auth {
  if (auth !== undefined && authRule(auth, "auth") === undefined) return auth;
  throw new WebhookAuthError({
    reason: "notConfigured",
    message: `Webhooks: ${advice}.`,
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
    const check = checks[index];
    // Nothing that is not a check may count as one that passed.
    if (check === undefined) throw refusal("An element of `auth` is not a check.");
    const outcome = check.check(delivery);
    // Checks that are done at once (HMAC by node:crypto) cost no promise.
    if (isPromise(outcome)) {
      return outcome.then((passed) => {
        accept(check, passed, nonces);
        return runFrom(index + 1, delivery, checks, nonces);
      });
    }
    accept(check, outcome, nonces);
  }
  return nonces;
}

/** A check passes by returning nothing, or a nonce. Anything else, such as `false`, refuses the delivery. */
function accept(check: WebhookCheck, outcome: unknown, nonces: string[]): void {
  if (outcome === undefined) return;
  const nonce: unknown =
    typeof outcome === "object" && outcome !== null && Object.hasOwn(outcome, "nonce")
      ? Reflect.get(outcome, "nonce")
      : undefined;
  if (!isNonce(nonce)) {
    // Of `custom`, whose function accepts by true and not by undefined, only objects come here.
    const wrong =
      typeof outcome === "object" ? "an object without" : "neither undefined, which accepts a delivery, nor";
    throw refusal(`The check "${check.name}" returned ${wrong} { nonce }, a string of 1 to 256 printable characters.`);
  }
  // Two checks may read the same header: its nonce is claimed once.
  if (!nonces.includes(nonce)) nonces.push(nonce);
}

function isNonce(value: unknown): value is string {
  return typeof value === "string" && value.length <= 256 && value.trim() !== "" && !/\p{C}/u.test(value);
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

function refusal(message: string): WebhookAuthError {
  return new WebhookAuthError({ reason: "refusedByCheck", message });
}
