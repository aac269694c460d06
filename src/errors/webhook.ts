import { type DetailsOf, ServiceApiError, type ValidationIssue } from "./base.ts";

/**
 * The base of the errors of webhooks: a delivery was not accepted. `reason` is a machine-readable code,
 * `clientReferenceId` the reference of the delivery if it could be read.
 */
export class WebhookError extends ServiceApiError {
  static override readonly title: string = "WebhookError";
  declare readonly kind: "webhook_auth" | "webhook_payload" | "webhook_processing";

  /** A machine-readable code for the cause. */
  declare readonly reason: string;

  constructor(kind: WebhookError["kind"], details: DetailsOf<WebhookError>) {
    super(kind, { outcome: "rejected", ...details });
  }
}

/** Why a delivery was not authenticated. */
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

/**
 * A delivery was not authenticated (§5), or `auth` is not set (`notConfigured`). The message says which check failed
 * and what to change.
 */
export class WebhookAuthError extends WebhookError {
  static override readonly title: string = "WebhookAuthError";
  declare readonly kind: "webhook_auth";
  /** Why the delivery was not authenticated. */
  declare readonly reason: WebhookAuthReason;
  /** The IP address of the sender, if `ipAllowList` refused it. At most 64 printable characters. */
  declare readonly address: string | undefined;

  constructor(details: DetailsOf<WebhookAuthError>) {
    super("webhook_auth", details);
  }
}

/** Why the content of a delivery was refused. */
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
  | "repeatedName"
  | "missingField"
  | "wrongType"
  | "invalidValue"
  | "unknownStatus"
  | "unknownReference"
  | "amountMismatch";

/**
 * The body of a delivery is not an event (§6.2), or does not match its order (§6.5). `issues` lists the invalid fields.
 */
export class WebhookPayloadError extends WebhookError {
  static override readonly title: string = "WebhookPayloadError";
  declare readonly kind: "webhook_payload";
  /** Why the content was refused. */
  declare readonly reason: WebhookPayloadReason;
  /** The invalid fields; empty if `reason` is not about fields. */
  declare readonly issues: readonly ValidationIssue[];
  /** With `amountMismatch`: the amount of the order, as `findOrder` returned it. */
  declare readonly expectedAmount: number | string | undefined;
  /** With `amountMismatch`: the `txn_amount` of the event. */
  declare readonly receivedAmount: number | string | undefined;

  constructor({ issues = [], ...details }: DetailsOf<WebhookPayloadError, "issues">) {
    super("webhook_payload", { ...details, issues } as DetailsOf<WebhookPayloadError>);
  }
}

/** Why an authentic delivery did not take effect, or could not be acknowledged as processed. */
export type WebhookProcessingReason =
  /** Another delivery of the reference, or with the nonce, is being processed, or has just failed. */
  | "inFlight"
  /** The work was not done within `ackTimeout`; it runs on. */
  | "ackTimeout"
  /** The work is done, but the store has not recorded it yet; the commit is retried until the store responds. */
  | "commitPending"
  /** The work was not done within `workTimeout`; its `signal` was aborted. */
  | "workTimeout"
  /** The work took longer than `claimLease`, and another delivery took the claim over. */
  | "claimLost"
  /** A DUPLICATE notification says that the payout was processed earlier, but it has not taken effect here. */
  | "notProcessed"
  /** The notification contradicts what took effect for its reference, and there is no `onConflict`. */
  | "conflict"
  /** The store failed: the message says what to do, and `cause` is the error of its database or client. */
  | "storeFailed"
  /** A function in `secrets`, or the environment, supplied no usable secret, so the delivery was not checked. */
  | "secretUnavailable";

/**
 * A valid delivery did not take effect, or could not be acknowledged. It was acknowledged `FAILED`, and its redelivery
 * decides; with `notProcessed` and `conflict`, it is acknowledged `DUPLICATE` and not redelivered. With `storeFailed`, a store
 * failed during a delivery or a call of yours. With `secretUnavailable`, the delivery may not even be authentic.
 */
export class WebhookProcessingError extends WebhookError {
  static override readonly title: string = "WebhookProcessingError";
  declare readonly kind: "webhook_processing";
  /** Why the delivery did not take effect, or could not be acknowledged. */
  declare readonly reason: WebhookProcessingReason;

  constructor(details: DetailsOf<WebhookProcessingError>) {
    super("webhook_processing", { outcome: "unknown", ...details });
  }
}
