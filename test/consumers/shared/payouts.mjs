/**
 * A payout that succeeded, with text in two scripts.
 *
 * @param {string} reference
 */
export const payout = (reference) => ({
  status: /** @type {const} */ ("SUCCESS"),
  transactionId: "TXN1",
  client_referenceId: reference,
  txn_amount: 1500.5,
  utr: "412345678901",
  description: "₹ नमस्ते",
});
