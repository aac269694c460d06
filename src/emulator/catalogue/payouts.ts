import duplicate from "../samples/webhook/events/duplicate.json" with { type: "json" };
import failed from "../samples/webhook/events/failed.json" with { type: "json" };
import rejected from "../samples/webhook/events/rejected.json" with { type: "json" };
import rejectedOtherCode from "../samples/webhook/events/rejected-other-code.json" with { type: "json" };
import success from "../samples/webhook/events/success.json" with { type: "json" };
import successAmountMismatch from "../samples/webhook/events/success-amount-mismatch.json" with { type: "json" };
import successAmountText from "../samples/webhook/events/success-amount-text.json" with { type: "json" };
import successExtraFields from "../samples/webhook/events/success-extra-fields.json" with { type: "json" };
import successWithoutAmount from "../samples/webhook/events/success-without-amount.json" with { type: "json" };
import unknownReference from "../samples/webhook/events/unknown-reference.json" with { type: "json" };
import unknownStatus from "../samples/webhook/events/unknown-status.json" with { type: "json" };

/** The name of a sample notification. */
export type PayoutSampleName =
  | "duplicate"
  | "failed"
  | "rejected-other-code"
  | "rejected"
  | "success-amount-mismatch"
  | "success-amount-text"
  | "success-extra-fields"
  | "success-without-amount"
  | "success"
  | "unknown-reference"
  | "unknown-status";

/** Webhook notifications by name (§6.2). */
export const payoutSamples: Readonly<Record<PayoutSampleName, Readonly<Record<string, unknown>>>> = {
  duplicate,
  failed,
  "rejected-other-code": rejectedOtherCode,
  rejected,
  "success-amount-mismatch": successAmountMismatch,
  "success-amount-text": successAmountText,
  "success-extra-fields": successExtraFields,
  "success-without-amount": successWithoutAmount,
  success,
  "unknown-reference": unknownReference,
  "unknown-status": unknownStatus,
};
