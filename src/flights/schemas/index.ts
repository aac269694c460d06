/** What is sent (strict) and what comes back (loose), each declared against its interface in types.ts. */
export { bookingSchema } from "./booking.ts";
export { fareQuoteSchema } from "./quote.ts";
export { bookParamsSchema, fareQuoteParamsSchema, fareRuleParamsSchema, passengerSchema } from "./requests.ts";
export { fareRuleSchema } from "./rule.ts";
