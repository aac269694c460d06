/** What is built on the three flight operations: the entry point `serviceapi/flights`. */
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
export { checkout, resumeCheckout } from "./checkout/index.ts";
export type { Checkout } from "./checkout/trip.ts";
export type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutClient,
  CheckoutFeeQuestion,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  NextStep,
  SavedCheckout,
  Session,
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
  type FeeQuestion,
  type FeeReport,
  type FeeType,
  fees,
  type IndeterminateReason,
  type JourneyFee,
  type PassengerCounts,
  type PassengerFee,
  parseCharge,
} from "./fees/index.ts";
export {
  type BookingJournal,
  type BookingState,
  type ClaimOptions,
  type Conflict,
  conflictsWith,
  isOverdue,
  isPending,
  type JournalRow,
  type OpenState,
} from "./journal/journal.ts";
export { memoryJournal } from "./journal/memory.ts";
export { type LookupResult, type ReconcileOptions, reconcile } from "./journal/reconcile.ts";
export {
  expectedPassengers,
  type FieldProblem,
  isPassenger,
  type PassengerIssue,
  type PassengerIssueCode,
  type PassengerLimits,
  type ValidateOptions,
  validatePassengers,
} from "./passengers/index.ts";
export { type FareBreakdown, fareBreakdown, type TypeFare } from "./quote/breakdown.ts";
export { type Itinerary, itinerary, type Leg, type Stop } from "./quote/itinerary.ts";
export { compareMoney, type Money, multiplyMoney, readMoney, subtractMoney, sumMoney } from "./quote/money.ts";
export { Deadline, type Remaining, ticketDeadline } from "./quote/ticket-deadline.ts";
export { durationMinutes, instantOf, timeOrNull, type WallClockTime, wallClockIn } from "./quote/times.ts";
export type * from "./types/index.ts";
export { quoteToken } from "./types/index.ts";
