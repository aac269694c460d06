/** Schemas of requests (strict) and responses (loose), each declared against its interface in types/. */
export { bookingSchema } from "./booking.ts";
export { fareQuoteSchema } from "./quote.ts";
export { bookParamsSchema, fareQuoteParamsSchema, fareRuleParamsSchema, passengerSchema } from "./requests.ts";
export { fareRuleSchema } from "./rule.ts";
