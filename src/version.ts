/** Version of this package, as sent in `User-Agent`. */
export const version = "0.1.0";

/** The webhook product versions (§9) that this library was built against. */
export const webhookProductVersions = {
  /** Transaction Notify Webhook, released 04-12-2025. */
  transactionNotify: "2.3.12",
  /** Validation-Based Webhook, released 16-11-2025. */
  validationBased: "3.7.1",
} as const;
