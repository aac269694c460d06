import { ConfigurationError } from "../errors/request.ts";
import { WebhookPayloadError } from "../errors/webhook.ts";
import type { WebhookEvent } from "./events.ts";
import type { ExpectedAmount, WebhooksOptions } from "./types.ts";

type Expected = NonNullable<WebhooksOptions["expectedPayout"]>;

/** Refuses where `expectedPayout` was forgotten: there is no default (policy 34). */
export function requireExpectedPayout(expected: Expected | undefined): Expected {
  if (expected === "none" || typeof expected === "function") return expected;
  throw new ConfigurationError(
    'Webhooks: set `expectedPayout` to a function that gives the amount ordered under a reference, or to "none" in as many words (§6.5.2).',
  );
}

/** The reference must be known, and the amount, where the event has one, that of the order (§6.5.2). */
export async function checkPayout(event: WebhookEvent, expected: Expected): Promise<void> {
  if (expected === "none") return;
  const amount = await expected(event.client_referenceId, event);
  if (amount === null || amount === undefined) {
    throw new WebhookPayloadError({
      reason: "unknownReference",
      message: "No order is known under this reference.",
      clientReferenceId: event.client_referenceId,
    });
  }
  if (event.txn_amount !== undefined && !isSameAmount(event.txn_amount, amount)) {
    throw new WebhookPayloadError({
      reason: "amountMismatch",
      message: "The amount is not that of the order.",
      clientReferenceId: event.client_referenceId,
    });
  }
}

/** Money is compared as decimal text: `1500.5` and `"1500.50"` are the same, `0.1 + 0.2` and `0.3` are not. */
function isSameAmount(received: unknown, expected: ExpectedAmount): boolean {
  if (received === expected) return true;
  const wanted = canonical(expected);
  if (wanted === undefined) throw new TypeError("expectedPayout gave an amount that is not decimal, such as 1500.50.");
  return canonical(received) === wanted;
}

function canonical(amount: unknown): string | undefined {
  const [, sign = "", whole, fraction = ""] = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(String(amount)) ?? [];
  return whole === undefined ? undefined : `${sign}${whole}.${fraction}`;
}
