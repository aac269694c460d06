/** The bodies of the three flight operations (§2.4–§2.10, §4.3–§4.5), under the names of the wire. */
export type * from "./booking.ts";
export type * from "./quote.ts";
export { type QuoteToken, quoteToken, type SearchToken } from "./tokens.ts";
