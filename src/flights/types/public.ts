/** The types of bodies that `serviceapi` and `serviceapi/flights` export. Their parts are named by them: `Booking["data"]`. */
export type {
  BookedPassenger,
  Booking,
  BookingResult,
  BookParams,
  Gender,
  GstDetails,
  Passenger,
  PassengerType,
  Title,
} from "./booking.ts";
export type {
  FareQuote,
  FareQuoteParams,
  FareQuoteResult,
  FareRule,
  FareRuleParams,
  MiniFareRule,
  Segment,
} from "./quote.ts";
export { type QuoteToken, quoteToken, type SearchToken } from "./tokens.ts";
