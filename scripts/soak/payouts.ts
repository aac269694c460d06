/** The payouts that the service notifies the workers of. */

export const payoutStores = ["postgres", "redis"] as const;
export type PayoutStore = (typeof payoutStores)[number];

export const payoutStatuses = ["SUCCESS", "FAILED", "REJECTED"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

export interface Payout {
  readonly reference: string;
  readonly store: PayoutStore;
  readonly status: PayoutStatus;
}
