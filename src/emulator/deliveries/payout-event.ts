import { ConfigurationError } from "../../errors/request.ts";
import { payoutSamples } from "../catalogue/payouts.ts";
import { ids } from "../state/ids.ts";
import { hint } from "../nearest.ts";
import { own } from "../objects.ts";
import type { PayoutRequest } from "./types.ts";

/** A notification as the service sends it. */
export type PayoutEvent = Readonly<Record<string, unknown>>;

/** The rows of §6.2. The fields of DUPLICATE and REJECTED are not shown; they are those of the samples. */
const templates: Readonly<Record<string, PayoutEvent>> = {
  SUCCESS: payoutSamples.success,
  FAILED: payoutSamples.failed,
  DUPLICATE: payoutSamples.duplicate,
  REJECTED: payoutSamples.rejected,
};

/** The notification of a payout: the sample of its outcome with its own reference, amount and numbers. */
export function payoutEvent(payout: PayoutRequest, n: number): PayoutEvent {
  const { amount, outcome = "SUCCESS", client_referenceId } = payout;
  const sample = own(templates, outcome) ?? own<PayoutEvent>(payoutSamples, outcome);
  if (sample === undefined) {
    const known = [...Object.keys(templates), ...Object.keys(payoutSamples)];
    throw new ConfigurationError(`The emulator knows no outcome "${outcome}". ${hint(outcome, known)}`);
  }
  return {
    ...sample,
    client_referenceId: client_referenceId ?? ids.payout(n),
    ...("transactionId" in sample && { transactionId: ids.transaction(n) }),
    ...("utr" in sample && { utr: ids.utr(n) }),
    ...(amount !== undefined && "txn_amount" in sample && { txn_amount: amount }),
  };
}
