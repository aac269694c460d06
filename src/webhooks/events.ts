import type { OtherString } from "../shared/other-string.ts";

/** The statuses that §6.2 names. */
export type PayoutStatus = "SUCCESS" | "FAILED" | "DUPLICATE" | "REJECTED";

/** The status code of each status: of events (§6.2), and of acknowledgements (§6.3), which have no `REJECTED`. */
export const statusCodes = {
  SUCCESS: "200",
  FAILED: "400",
  DUPLICATE: "208",
  REJECTED: "422",
} as const satisfies Record<PayoutStatus, string>;

/**
 * The fields that all notifications share (§6.2). Fields that the service adds later stay on the event, unknown to the
 * compiler; read them with `in`: `if ("bank_name" in event) show(event.bank_name)`.
 */
export interface PayoutNotification {
  /** Your unique reference of the payout: the idempotency key of everything that follows (§6.5). */
  readonly client_referenceId: string;
  /** `200`, `400`, `208` or `422`. The `status` decides; an unknown code is a warning, and one that contradicts it is refused. */
  readonly statusCode?: string;
  /** The service's own identifier of the transaction. */
  readonly transactionId?: string;
  /** Amount of the payout, in the unit in which it was ordered. It may be a string or null if no handler needs it. */
  readonly txn_amount?: number | string | null;
  /** `1` on SUCCESS. */
  readonly acknowledged?: string;
  /** The bank's reference of a settled payout. */
  readonly utr?: string;
  /** A description for people. */
  readonly description?: string;
}

/** Transaction Successful: the amount is settled and credited to the beneficiary (§6.2). */
export interface PayoutSucceeded extends PayoutNotification {
  /** The discriminant of {@link WebhookEvent} (§6.2). */
  readonly status: "SUCCESS";
  /** The service's identifier of the transaction. */
  readonly transactionId: string;
  /** Amount of the payout, in the unit in which it was ordered. */
  readonly txn_amount: number;
  /** Reference of the bank (Unique Transaction Reference). */
  readonly utr: string;
}

/**
 * Transaction Failed: a reversal or refund is triggered as per system (§6.2). It has no `utr` and no `acknowledged`.
 */
export interface PayoutFailed extends PayoutNotification {
  /** The discriminant of {@link WebhookEvent} (§6.2). */
  readonly status: "FAILED";
  /** The service's identifier of the transaction. */
  readonly transactionId: string;
  /** Amount of the payout, in the unit in which it was ordered. */
  readonly txn_amount: number;
}

/** Duplicate Update: processed earlier, no changes required (§6.2, whose payload is not shown). */
export interface PayoutDuplicate extends PayoutNotification {
  /** The discriminant of {@link WebhookEvent} (§6.2). */
  readonly status: "DUPLICATE";
}

/** Transaction Rejected: refused by validation or compliance (§6.2, whose payload is not shown). */
export interface PayoutRejected extends PayoutNotification {
  /** The discriminant of {@link WebhookEvent} (§6.2). */
  readonly status: "REJECTED";
}

/**
 * The end of a payout, which one function may handle: `{ SUCCESS: settle, FAILED: settle, REJECTED: settle }`.
 */
export type FinalPayout = PayoutSucceeded | PayoutFailed | PayoutRejected;

/** A status that §6.2 does not name: any string but those of {@link PayoutStatus}. */
export type UnknownStatus = OtherString<PayoutStatus>;

/** A notification whose `status` §6.2 does not name, because it was added to the service later. */
export interface UnknownWebhookEvent extends PayoutNotification {
  /** The discriminant of {@link WebhookEvent} (§6.2). */
  readonly status: UnknownStatus;
}

/** A notification of §6.2, discriminated by `status`. */
export type KnownWebhookEvent = FinalPayout | PayoutDuplicate;

/**
 * A notification to the callback URL, discriminated by `status` (§6.2). You can also compare with statuses that §6.2
 * does not name.
 *
 * @example
 * ```ts
 * import type { WebhookEvent } from "serviceapi/webhooks";
 *
 * function describe(event: WebhookEvent): string {
 *   switch (event.status) {
 *     case "SUCCESS":
 *       return `${event.txn_amount} settled, UTR ${event.utr}`;
 *     case "FAILED":
 *       return `${event.txn_amount} goes back`;
 *     case "REVERSED": // not documented, but narrowed all the same
 *       return "taken back by the bank";
 *     default:
 *       return event.status;
 *   }
 * }
 * ```
 */
export type WebhookEvent = KnownWebhookEvent | UnknownWebhookEvent;

/**
 * Returns whether §6.2 names the status of this event.
 *
 * @example
 * ```ts
 * import { isKnownWebhookEvent, type WebhookEvent } from "serviceapi/webhooks";
 *
 * function record(event: WebhookEvent): void {
 *   if (!isKnownWebhookEvent(event)) console.log("new:", event.status);
 * }
 * ```
 */
export function isKnownWebhookEvent(event: WebhookEvent): event is KnownWebhookEvent {
  return isPayoutStatus(event.status);
}

/** Whether §6.2 names this status. */
export function isPayoutStatus(status: string): status is PayoutStatus {
  return Object.hasOwn(statusCodes, status);
}

/** The result of processing a delivery: the three client cases of §6.3. */
export type AcknowledgementStatus = "SUCCESS" | "FAILED" | "DUPLICATE";

/** Result of processing an event: its handler ran and the claim is committed, or that was the case before. */
export type ProcessResult = "SUCCESS" | "DUPLICATE";

/** The body of the response to a delivery (§6.3), with HTTP 200 and within seven seconds. */
export interface Acknowledgement {
  /** Always true: the delivery was received. */
  readonly http_status: true;
  /** `SUCCESS`: processed. `FAILED`: received but failed internally. `DUPLICATE`: already processed. */
  readonly status: AcknowledgementStatus;
  /** The reference of the delivery. */
  readonly client_referenceId: string;
  /** `200`, `400` or `208`. */
  readonly statusCode: "200" | "400" | "208";
  /** Always `1`. */
  readonly acknowledged: "1";
}

/** Returns the body of §6.3. It speaks of our processing, not of the payout's outcome (docs/assumptions.md, W12). */
export function acknowledge(reference: string, status: AcknowledgementStatus): Acknowledgement {
  return {
    http_status: true,
    status,
    client_referenceId: reference,
    statusCode: statusCodes[status],
    acknowledged: "1",
  };
}
