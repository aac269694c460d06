/** What is sent (strict) and what comes back (loose), each declared against its interface in types.ts. */
export { bookingSchema } from "./schemas/booking.ts";
export { fareQuoteSchema } from "./schemas/quote.ts";
export { bookParamsSchema, fareQuoteParamsSchema, fareRuleParamsSchema, passengerSchema } from "./schemas/requests.ts";
export { fareRuleSchema } from "./schemas/rule.ts";
