import { type ErrorDetails, type Issue, ServiceApiError } from "./base.ts";

/** A webhook delivery was not accepted. `reason` is a word for programs. */
export class WebhookError extends ServiceApiError {
  override get name(): string {
    return "WebhookError";
  }
  declare readonly kind: "webhook_auth" | "webhook_payload" | "webhook_processing";

  /** Why, as a word for programs. */
  readonly reason: string;

  constructor(
    kind: "webhook_auth" | "webhook_payload" | "webhook_processing",
    details: ErrorDetails & { readonly reason: string },
  ) {
    super(kind, { outcome: "rejected", ...details });
    this.reason = details.reason;
  }
}

/** Why a delivery's origin was not believed. */
export type WebhookAuthReason =
  | "notConfigured"
  | "signatureMissing"
  | "signatureMismatch"
  | "timestampMissing"
  | "timestampInvalid"
  | "timestampOutOfRange"
  | "nonceMissing"
  | "nonceReused"
  | "credentialsMissing"
  | "credentialsMismatch"
  | "addressUnknown"
  | "addressNotAllowed"
  | "refusedByCheck";

/** A delivery's origin could not be proved (§5). */
export class WebhookAuthError extends WebhookError {
  override get name(): string {
    return "WebhookAuthError";
  }
  declare readonly kind: "webhook_auth";
  /** What was wrong with the proof. */
  declare readonly reason: WebhookAuthReason;
  /** The sender's address as it was seen, if `ipAllowList` refused it. At most 64 printable characters. */
  readonly address: string | undefined;

  constructor(details: ErrorDetails & { readonly reason: WebhookAuthReason; readonly address?: string | undefined }) {
    super("webhook_auth", details);
    this.address = details.address;
  }
}

/** Why a delivery's content was refused. */
export type WebhookPayloadReason =
  | "tooLarge"
  | "tooSlow"
  | "alreadyParsed"
  | "cut"
  | "empty"
  | "badEncoding"
  | "notJson"
  | "notObject"
  | "forbiddenKey"
  | "missingField"
  | "wrongType"
  | "invalidValue"
  | "unknownStatus"
  | "unknownReference"
  | "amountMismatch";

/** A delivery's content is not that of an event (§6.2, §6.5). */
export class WebhookPayloadError extends WebhookError {
  override get name(): string {
    return "WebhookPayloadError";
  }
  declare readonly kind: "webhook_payload";
  /** What was wrong with the content. */
  declare readonly reason: WebhookPayloadReason;
  /** What is wrong and where, when fields are. */
  readonly issues: readonly Issue[];
  /** With `amountMismatch`: the amount of the order, as `expectedPayout` returned it. */
  readonly expectedAmount: number | string | undefined;
  /** With `amountMismatch`: the `txn_amount` of the event, as it came. */
  readonly receivedAmount: number | string | undefined;

  constructor(details: WebhookPayloadDetails) {
    super("webhook_payload", details);
    this.issues = details.issues ?? [];
    this.expectedAmount = details.expectedAmount;
    this.receivedAmount = details.receivedAmount;
  }
}

/** What a {@link WebhookPayloadError} is made from. */
export interface WebhookPayloadDetails extends ErrorDetails {
  readonly reason: WebhookPayloadReason;
  readonly issues?: readonly Issue[] | undefined;
  readonly expectedAmount?: number | string | undefined;
  readonly receivedAmount?: number | string | undefined;
}

/** Why an authentic delivery did not take effect, or could not be acknowledged as processed. */
export type WebhookProcessingReason =
  /** Another delivery of the reference is being worked on, or has just failed. */
  | "inFlight"
  /** The work was not done within `ackTimeout`; it runs on. */
  | "deadlinePassed"
  /** The work is done, but the store has not recorded it yet; it is asked again until it responds. */
  | "commitPending"
  /** The work was not done within `workTimeout`; its `signal` was aborted. */
  | "workDeadlinePassed"
  /** The work took longer than `claimLease`, and another delivery took the claim over. */
  | "claimLost"
  /** A DUPLICATE notification says that the payout was processed earlier, but it has not taken effect here. */
  | "notProcessed"
  /** The store failed: the message says what to do, and `cause` is what its database or client threw. */
  | "storeFailed";

/**
 * An authentic delivery did not take effect although nothing is wrong with it. It was acknowledged `FAILED`, and its
 * redelivery decides; only after `notProcessed` it was acknowledged `DUPLICATE` and is not redelivered. With `storeFailed` a
 * store could not do what a delivery, or you, asked of it.
 */
export class WebhookProcessingError extends WebhookError {
  override get name(): string {
    return "WebhookProcessingError";
  }
  declare readonly kind: "webhook_processing";
  /** What kept the delivery from taking effect, or from being acknowledged. */
  declare readonly reason: WebhookProcessingReason;

  constructor(details: ErrorDetails & { readonly reason: WebhookProcessingReason }) {
    super("webhook_processing", { outcome: "unknown", ...details });
  }
}
