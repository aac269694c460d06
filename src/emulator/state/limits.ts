/** How much an emulator remembers that runs for weeks; what is older is forgotten. Told in docs/emulator.md. */
export const limits = {
  /** Of each: requests, bookings, deliveries, flight tokens, context tokens, numbers refused at first, scenarios. */
  entries: 10_000,
  /** Of the text in requests, in bookings and in deliveries, each, in UTF-16 units. */
  text: 32 * 1024 * 1024,
} as const;
