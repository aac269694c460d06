/** Limits of what an emulator remembers, so that it can run for weeks (docs/emulator.md). A test lowers them. */
export const limits = {
  /** Of each kind: requests, bookings, deliveries, tokens of flights and contexts, refused numbers, rules. */
  entries: 10_000,
  /** The total length of requests, of bookings and of deliveries, each as strings, in UTF-16 units. */
  length: 32 * 1024 * 1024,
} as const;
