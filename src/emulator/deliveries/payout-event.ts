import { ConfigurationError } from "../../errors/request.ts";
import { type Rules, string } from "../../shared/options.ts";
import { lookUp, tableOf } from "../names.ts";
import { ids } from "../state/ids.ts";

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
export const payoutSamples = tableOf<PayoutEvent>()({
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
});

/** Fields of {@link Emulator.payout}. */
export interface PayoutRequest {
  /**
   * `txn_amount`. It is refused with the outcomes `success-amount-…` and `success-without-amount`.
   *
   * @default that of the sample: 8500 for SUCCESS, 9900 for FAILED, 1200.5 for REJECTED
   */
  readonly amount?: number | undefined;
  /** The outcome of the payout: a status, or another notification. @default "SUCCESS" */
  readonly outcome?: keyof typeof payoutSamples | undefined;
  /** The reference of the payout. @default created by the emulator */
  readonly client_referenceId?: string | undefined;
  /** The order in which notifications are sent. @default "standard" */
  readonly plan?: keyof typeof plans | undefined;
}

/** Returns the notification that contradicts a payout. FAILED has neither a `utr` nor an `acknowledged` (§6.2). */
export function contradicting({ utr: _utr, acknowledged: _acknowledged, ...event }: PayoutEvent): PayoutEvent {
  const { status, statusCode, description, ...paid } = success;
  return /^failed$/i.test(String(event.status))
    ? { ...paid, ...event, status, statusCode, description }
    : { ...event, status: "FAILED", statusCode: "400", description: "Reversed by bank" };
}

/** The notification that a plan adds: a twin at the same time, or one at the time of the first retry. */
interface Plan {
  readonly twin?: true;
  readonly later?: (event: PayoutEvent) => PayoutEvent;
}

/** The orders in which notifications of one payout are sent. */
export const plans = tableOf<Plan>()({
  // Until it is acknowledged, with three retries at most (§6.4).
  standard: {},
  // Two at the same time.
  race: { twin: true },
  // As standard, and once more although it was acknowledged: the acknowledgement was lost.
  twice: { later: (event) => event },
  // SUCCESS, and later FAILED for the same reference; after FAILED, SUCCESS.
  conflict: { later: contradicting },
});

export const payoutRules: Rules<Omit<PayoutRequest, "plan">> = {
  // Negative amounts as well: how a receiver handles them is worth a test.
  amount: (value) => (Number.isFinite(value) ? undefined : "must be a number"),
  outcome: string,
  client_referenceId: string,
};

/** Returns the notification of a payout: the sample of its outcome with its own reference, amount and numbers. */
export function payoutEvent({ amount, outcome = "SUCCESS", client_referenceId }: PayoutRequest, n: number) {
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
