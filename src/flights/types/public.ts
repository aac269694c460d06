/** The types of bodies that `serviceapi` and `serviceapi/flights` export. Their parts are named by them: `Booking["data"]`. */
export type { BookedPassenger, Booking, BookingResult, BookParams } from "./booking.ts";
export type { Gender, GstDetails, Passenger, PassengerType, Title } from "./passenger.ts";
export type { FareQuote, FareQuoteParams, FareQuoteResult } from "./quote.ts";
export type { FareRule, FareRuleParams } from "./rule.ts";
export type { Segment } from "./segment.ts";
export { type QuoteToken, quoteToken, type SearchToken } from "./tokens.ts";
