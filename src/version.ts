/** Version of this package, as sent in `User-Agent`. */
export const version = "0.1.0";

/** Version of the Transaction Notify Webhook that {@link Webhooks} receives (§9). */
export const transactionNotifyVersion = "2.3.12";

/** Version of the Validation-Based Webhook, whose rules `serviceapi/callback-url` checks (§9). */
export const validationBasedVersion = "3.7.1";
