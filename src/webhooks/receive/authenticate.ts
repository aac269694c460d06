import { WebhookAuthError } from "../../errors/webhook.ts";
import { field } from "../../shared/json.ts";
import { listOf, objectWith, type Rule } from "../../shared/options.ts";
import { isPrintable } from "../../shared/printable.ts";
import { isThenable } from "../../shared/promises.ts";
import type { ReceivedDelivery, WebhookCheck } from "../auth/check.ts";

/** The checks of `auth`, once it is set. */
export type Auth = readonly WebhookCheck[] | "none";

const checks = listOf(objectWith("check"));
const advice = 'set `auth` to a list of checks, such as [hmac({ header, secrets })], or explicitly to "none"';

/** A rule for `auth`: `"none"`, or a list of checks of which at least one proves who sent a delivery. */
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
  if (auth !== undefined) return auth;
  throw new WebhookAuthError({
    reason: "notConfigured",
    message: `Webhooks: ${advice}.`,
  });
}

/** The result of checks that have all proved who sent a delivery. */
interface Authenticated {
  /** The nonces that the checks returned, to be accepted once. */
  readonly nonces: string[];
  /** Why the delivery is too old to take effect. */
  stale: WebhookAuthError | undefined;
}

/** Runs the checks, all of which must pass (§5). */
export function authenticate(delivery: ReceivedDelivery, auth: Auth): Authenticated | Promise<Authenticated> {
  const passed = { nonces: [], stale: undefined };
  return auth === "none" ? passed : runFrom(0, delivery, auth, passed);
}

function runFrom(
  start: number,
  delivery: ReceivedDelivery,
  checks: readonly WebhookCheck[],
  authenticated: Authenticated,
): Authenticated | Promise<Authenticated> {
  for (let index = start; index < checks.length; index += 1) {
    const check = checks[index];
    // A hole in the list must not count as a check that passed.
    if (check === undefined) throw refusal("`auth` has an element that is not a check.");
    const outcome = check.check(delivery);
    // A synchronous check (HMAC by node:crypto) costs no promise.
    if (isThenable(outcome)) {
      return outcome.then((passed) => {
        accept(check, passed, authenticated);
        return runFrom(index + 1, delivery, checks, authenticated);
      });
    }
    accept(check, outcome, authenticated);
  }
  return authenticated;
}

/** A check passes by returning nothing, a nonce, or why it is stale. Anything else, such as `false`, refuses the delivery. */
function accept(check: WebhookCheck, outcome: unknown, authenticated: Authenticated): void {
  if (outcome === undefined) return;
  const { nonces } = authenticated;
  const stale = field(outcome, "stale");
  if (WebhookAuthError.isInstance(stale)) {
    authenticated.stale ??= stale;
    return;
  }
  const nonce = field(outcome, "nonce");
  if (!isNonce(nonce)) {
    // `custom` returns only objects here: its function accepts by returning true, not undefined.
    const wrong = typeof outcome === "object" ? "an object without" : "neither undefined nor";
    throw refusal(`The check "${check.name}" returned ${wrong} { nonce }, a string of 1 to 256 printable characters.`);
  }
  // Two checks may read the same header: its nonce is claimed once.
  if (!nonces.includes(nonce)) nonces.push(nonce);
}

function isNonce(value: unknown): value is string {
  return typeof value === "string" && value.length <= 256 && value.trim() !== "" && isPrintable(value);
}

function refusal(message: string): WebhookAuthError {
  return new WebhookAuthError({ reason: "refusedByCheck", message });
}
