/** The entry point `serviceapi/flights`: the three flight operations, and everything that builds on them. */
export { type AnyCheckoutError, isCheckoutError } from "./any-error.ts";
export {
  type BookingChanges,
  compareBooking,
  type FlightChange,
  type MissingSeat,
  type PassengerChange,
  type PriceChange,
  type TermChange,
} from "./changes/index.ts";
export type { Checkout } from "./checkout/checkout.ts";
export { checkout, resumeCheckout } from "./checkout/index.ts";
export type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutFeeQuery,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  NextStep,
  SavedCheckout,
  SearchSession,
  ShownQuote,
} from "./checkout/types.ts";
export {
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingInFlightError,
  JournalError,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
} from "./errors.ts";
export {
  type Charge,
  type ChargeMeaning,
  type Fee,
  type FeeQuery,
  type FeeReport,
  type FeeType,
  fees,
  type IndeterminateReason,
  type JourneyFee,
  type PassengerCounts,
  type PassengerFee,
  parseCharge,
} from "./fees/index.ts";
export { Flights } from "./flights.ts";
export {
  type BookingConflict,
  type BookingJournal,
  type BookingState,
  type ClaimOptions,
  conflictsWith,
  isOverdue,
  isPending,
  type JournalRow,
  type OpenBookingState,
} from "./journal/journal.ts";
export { memoryJournal } from "./journal/memory.ts";
export { type LookupResult, type ReconcileOptions, reconcile } from "./journal/reconcile.ts";
export { book, fareQuote, fareRule } from "./operations.ts";
export {
  expectedPassengers,
  type FieldProblem,
  isPassenger,
  type PassengerIssue,
  type PassengerIssueCode,
  type PassengerLimits,
  type ValidatePassengersOptions,
  validatePassengers,
} from "./passengers/index.ts";
export { type Itinerary, itinerary, type Layover, type Leg } from "./quote/itinerary.ts";
export { compareMoney, type Money, multiplyMoney, readMoney, subtractMoney, sumMoney } from "./quote/money.ts";
export { type FareBreakdown, fareBreakdown, type PassengerTypeFare } from "./quote/price.ts";
export { type RemainingTime, TicketDeadline, ticketDeadline } from "./quote/ticket-deadline.ts";
export { durationMinutes, instantOf, timeOrNull, type WallClockTime, wallClockIn } from "./quote/times.ts";
export type * from "./types/index.ts";
export { quoteToken } from "./types/index.ts";
