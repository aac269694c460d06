/** What is built on the three flight operations: the entry point `serviceapi/flights`. */
export { type AnyCheckoutError, isCheckoutError } from "./any-error.ts";
export { type FareBreakdown, fareBreakdown, type TypeFare } from "./breakdown.ts";
export {
  type BookingChanges,
  compareBooking,
  type FlightChange,
  type MissingSeat,
  type PassengerChange,
  type PriceChange,
  type TermChange,
} from "./changes.ts";
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
export { checkout, resumeCheckout } from "./checkout.ts";
export { Deadline, type Remaining, ticketDeadline } from "./deadline.ts";
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
} from "./fees.ts";
export { type Itinerary, itinerary, type Leg, type Stop } from "./itinerary.ts";
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
export { compareMoney, type Money, multiplyMoney, readMoney, subtractMoney, sumMoney } from "./money.ts";
export {
  expectedPassengers,
  type FieldProblem,
  isPassenger,
  type PassengerIssue,
  type PassengerIssueCode,
  type PassengerLimits,
  type ValidateOptions,
  validatePassengers,
} from "./passengers.ts";
export { durationMinutes, instantOf, timeOrNull, type WallClockTime, wallClockIn } from "./times.ts";
export type * from "./types.ts";
export { quoteToken } from "./types.ts";
