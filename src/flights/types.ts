/** The bodies of the three flight operations (§2.4–§2.10, §4.3–§4.5), under the names of the wire. */
export type * from "./types/booking.ts";
export type * from "./types/passenger.ts";
export type * from "./types/quote.ts";
export type * from "./types/rule.ts";
export type * from "./types/segment.ts";
export { type QuoteToken, quoteToken, type SearchToken } from "./types/tokens.ts";
