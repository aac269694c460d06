/** Version of this package, as sent in `User-Agent`. */
export const version = "0.1.0";

/** The webhook products that this library was built against, as the document lists them (§9). */
export const webhookProducts = {
  /** The notifications that `serviceapi/webhooks` receives. */
  transactionNotify: {
    /** Name of the product. */
    name: "Transaction Notify Webhook",
    /** Its status. */
    status: "Live",
    /** Its version. */
    version: "2.3.12",
    /** Whether a client has to support it. */
    compliance: "Mandatory",
    /** Day of its release, `YYYY-MM-DD`; the document writes 04-12-2025. */
    releaseDate: "2025-12-04",
  },
  /** The rules of `serviceapi/callback-url`. */
  validationBased: {
    /** Name of the product. */
    name: "Validation-Based Webhook",
    /** Its status. */
    status: "Live",
    /** Its version. */
    version: "3.7.1",
    /** Whether a client has to support it. */
    compliance: "Mandatory",
    /** Day of its release, `YYYY-MM-DD`; the document writes 16-11-2025. */
    releaseDate: "2025-11-16",
  },
} as const;
