/** Schemas of requests (strict) and responses (loose), each declared against its interface in types/. */

export { bookParamsSchema, fareQuoteParamsSchema, fareRuleParamsSchema, passengerSchema } from "./requests.ts";
export { bookingSchema, fareQuoteSchema, fareRuleSchema } from "./responses.ts";
