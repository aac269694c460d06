import { ConfigurationError } from "../../errors/request.ts";
import { type Rules, string } from "../../shared/options.ts";
import { lookUp } from "../names.ts";
import { ids } from "../state/ids.ts";
import type { PayoutOutcome, PayoutRequest } from "./types.ts";

export type PayoutEvent = Readonly<Record<string, unknown>>;

const payout = { transactionId: "TXN0000000000000001", client_referenceId: "demo-po-000000000000000001" };
const credited = { acknowledged: "1", utr: "000000000001", description: "Transaction Successful" };
const success = { status: "SUCCESS", statusCode: "200", ...payout, txn_amount: 8500, ...credited };
const { txn_amount: _, ...withoutAmount } = success;
const rejected = {
  ...{ status: "REJECTED", statusCode: "422", transactionId: "TXN0000000000000003" },
  ...{ client_referenceId: "demo-po-000000000000000003", txn_amount: 1200.5, description: "Rejected by compliance" },
};

/**
 * Webhook notifications by the outcome of the payout (§6.2). The document does not show the fields of DUPLICATE and
 * REJECTED, nor any of those with a name in lower case.
 */
export const payoutSamples: Readonly<Record<PayoutOutcome, PayoutEvent>> = {
  SUCCESS: success,
  FAILED: {
    ...{ status: "FAILED", statusCode: "400", transactionId: "TXN0000000000000002" },
    ...{ client_referenceId: "demo-po-000000000000000002", txn_amount: 9900, description: "Transaction Failed" },
  },
  DUPLICATE: {
    ...{ status: "DUPLICATE", statusCode: "208", ...payout },
    ...{ txn_amount: 8500, description: "Already processed earlier" },
  },
  REJECTED: rejected,
  "rejected-other-code": { ...rejected, statusCode: "450", description: "Transaction Rejected" },
  "success-amount-mismatch": { ...success, txn_amount: 8500.01 },
  "success-amount-text": { ...success, statusCode: 200, txn_amount: "8500.00", acknowledged: 1 },
  "success-extra-fields": { ...success, mode: "IMPS", event_time: "2026-11-20 15:30:00", nonce: "demo-nonce" },
  "success-without-amount": withoutAmount,
  "unknown-reference": { ...success, client_referenceId: "somebody-else-000001" },
  "unknown-status": { ...success, status: "REVERSED", statusCode: "209" },
};

/** Returns the notification that contradicts a payout. FAILED has neither a `utr` nor an `acknowledged` (§6.2). */
export function contradicting({ utr: _utr, acknowledged: _acknowledged, ...event }: PayoutEvent): PayoutEvent {
  const { status, statusCode, description, ...paid } = success;
  return /^failed$/i.test(String(event.status))
    ? { ...paid, ...event, status, statusCode, description }
    : { ...event, status: "FAILED", statusCode: "400", description: "Reversed by bank" };
}

export const payoutRules: Rules<Omit<PayoutRequest, "plan">> = {
  // Negative amounts as well: how a receiver handles them is worth a test.
  amount: (value) => (Number.isFinite(value) ? undefined : "must be a number"),
  outcome: string,
  client_referenceId: string,
};

/** Returns the notification of a payout: the sample of its outcome with its own reference, amount and numbers. */
export function payoutEvent(
  { amount, outcome = "SUCCESS", client_referenceId }: PayoutRequest,
  n: number,
): PayoutEvent {
  const sample = lookUp<PayoutEvent>(payoutSamples, outcome, "outcome");
  if (amount !== undefined && (!("txn_amount" in sample) || outcome.startsWith("success-amount-"))) {
    throw new ConfigurationError(
      `\`amount\` does not apply to the outcome ${outcome}, which comes with the amount that it shows, or without one. Leave it out.`,
    );
  }
  return {
    ...sample,
    client_referenceId: client_referenceId ?? ids.payout(n),
    transactionId: ids.transaction(n),
    ...("utr" in sample && { utr: ids.utr(n) }),
    ...(amount !== undefined && { txn_amount: amount }),
  };
}
