import { type ErrorDetails, type Issue, ServiceApiError } from "./base.ts";

/** A webhook delivery was not accepted. `reason` is a word for programs. */
export class WebhookError extends ServiceApiError {
  override get name(): string {
    return "WebhookError";
  }

  /** Why, as a word for programs. */
  readonly reason: string;

  constructor(kind: "webhook_auth" | "webhook_payload", details: ErrorDetails & { readonly reason: string }) {
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
  | "unknownReference"
  | "amountMismatch";

/** A delivery's content is not that of an event (§6.2, §6.5). */
export class WebhookPayloadError extends WebhookError {
  override get name(): string {
    return "WebhookPayloadError";
  }
  /** What was wrong with the content. */
  declare readonly reason: WebhookPayloadReason;
  /** What is wrong and where, when fields are. */
  readonly issues: readonly Issue[];

  constructor(details: ErrorDetails & { readonly reason: WebhookPayloadReason; readonly issues?: readonly Issue[] }) {
    super("webhook_payload", details);
    this.issues = details.issues ?? [];
  }
}
