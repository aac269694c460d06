/** The entry point `serviceapi/flights`: the three flight operations, and everything that builds on them. */

export {
  type BookingChanges,
  compareBooking,
} from "./changes/index.ts";
export { type Checkout, checkout, resumeCheckout } from "./checkout/checkout.ts";
export type {
  CheckoutBooking,
  CheckoutBookRequest,
  CheckoutOptions,
  CheckoutParams,
  CheckoutValidateOptions,
  SavedCheckout,
  TripPart,
} from "./checkout/options.ts";
export {
  adviceFor,
  type BookingAdvice,
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingIncompleteError,
  BookingInFlightError,
  JournalError,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
} from "./errors.ts";
export {
  type Charge,
  type Fee,
  type FeeQuery,
  type FeeReport,
  fees,
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
} from "./journal/journal.ts";
export { memoryJournal } from "./journal/memory.ts";
export {
  findBookings,
  type LookupResult,
  type ReconcileOptions,
  reconcile,
  reconcileOverdue,
} from "./journal/reconcile.ts";
export { book, fareQuote, fareRule } from "./operations.ts";
export {
  isPassenger,
  type PassengerIssue,
  type PassengerIssueCode,
  validatePassengers,
} from "./passengers/index.ts";
export { type Itinerary, itinerary } from "./quote/itinerary.ts";
export {
  compareMoney,
  type FareBreakdown,
  fareBreakdown,
  type Money,
  multiplyMoney,
  readMoney,
  subtractMoney,
  sumMoney,
} from "./quote/money.ts";
export {
  durationMinutes,
  instantOf,
  type RemainingTime,
  TicketDeadline,
  ticketDeadline,
  timeOrNull,
  wallClockIn,
} from "./quote/times.ts";
export * from "./types/public.ts";
