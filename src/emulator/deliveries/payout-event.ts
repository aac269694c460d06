import { ConfigurationError } from "../../errors/request.ts";
import { payoutSamples } from "../catalogue/payouts.ts";
import { own, unknownName } from "../names.ts";
import { ids } from "../state/ids.ts";
import type { PayoutRequest } from "./types.ts";

/** A notification as the service sends it. */
export type PayoutEvent = Readonly<Record<string, unknown>>;

/** The events of §6.2. The document does not show the fields of DUPLICATE and REJECTED; the samples do. */
const templates: Readonly<Record<string, PayoutEvent>> = {
  SUCCESS: payoutSamples.success,
  FAILED: payoutSamples.failed,
  DUPLICATE: payoutSamples.duplicate,
  REJECTED: payoutSamples.rejected,
};

/** Returns the notification of a payout: the sample of its outcome with its own reference, amount and numbers. */
export function payoutEvent(payout: PayoutRequest, n: number): PayoutEvent {
  const { amount, outcome = "SUCCESS", client_referenceId } = payout;
  const sample = own(templates, outcome) ?? own<PayoutEvent>(payoutSamples, outcome);
  if (sample === undefined) {
    const known = [...Object.keys(templates), ...Object.keys(payoutSamples)];
    throw new ConfigurationError(unknownName("outcome", outcome, known));
  }
  if (amount !== undefined && (!("txn_amount" in sample) || outcome.startsWith("success-amount-"))) {
    throw new ConfigurationError(
      `\`amount\` does not apply to the outcome ${outcome}, which comes with the amount that it shows, or without one. Leave it out.`,
    );
  }
  return {
    ...sample,
    client_referenceId: client_referenceId ?? ids.payout(n),
    ...("transactionId" in sample && { transactionId: ids.transaction(n) }),
    ...("utr" in sample && { utr: ids.utr(n) }),
    ...(amount !== undefined && { txn_amount: amount }),
  };
}
