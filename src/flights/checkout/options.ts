import type { ValidationIssue } from "../../errors/base.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import { checkOptions, type RequestOptions, requestRules } from "../../options.ts";
import { field, isListOf, isObjectOrList, isString, jsonCopy } from "../../shared/json.ts";
import { each } from "../../shared/objects.ts";
import {
  anyOf,
  boolean,
  func,
  group,
  integer,
  listOf,
  milliseconds,
  nonEmptyString,
  object,
  objectWith,
  oneOf,
  type Rules,
  readOptions,
} from "../../shared/options.ts";
import type { BookingChanges } from "../changes/index.ts";
import type { BookingJournal, BookingState, JournalRow } from "../journal/journal.ts";
import {
  type PassengerIssueCode,
  type PassengerLimits,
  passengerLimitRules,
  optionRules as passengerRules,
  type ValidatePassengersOptions,
} from "../passengers/index.ts";
import { type Money, priceRule, readMoney } from "../quote/money.ts";
import { type TicketDeadline, timeZone } from "../quote/times.ts";
import type { Booking, FareQuote, FareQuoteParams, Passenger } from "../types/index.ts";

/** Params of {@link checkout}: a flight in a search result. */
export interface CheckoutParams extends Pick<FareQuoteParams, "trace_id" | "token"> {}

/** Options of {@link checkout}. */
export interface CheckoutOptions {
  /**
   * Journal that records each booking before it is sent. All tabs and processes that may book the same trip need one
   * that they share: `postgresJournal`, `fileJournal` on one machine, or `memoryJournal` in one process.
   */
  readonly journal: BookingJournal;
  /**
   * Unique ID of your order, for one party, under which `bookAll` sends the offers as `order-17-1`, `order-17-2` and so on. It
   * is saved with the trip. `bookAll` of a trip with it, in any process or after a new search, books what is missing: bookings
   * of the order stand, and count in `trip.total` and towards `maxTotal`. Pass a new ID after you cancelled one.
   * @default each offer has a new reference, and an earlier booking is a {@link BookingAlreadySentError}
   */
  readonly orderId?: string | undefined;
  /** Time zone of `last_ticket_date`. @default "Asia/Kolkata" (docs/assumptions.md, F4) */
  readonly deadlineZone?: string | undefined;
  /**
   * Estimated lifetime of a search session in milliseconds (docs/assumptions.md, F2). Past it `session.mayHaveExpired`
   * is true; nothing is refused. @default 900_000 (15 minutes)
   */
  readonly sessionLifetime?: number | undefined;
  /** Limits of the passenger checks. */
  readonly limits?: PassengerLimits | undefined;
  /** Returns the current time in milliseconds since 1970, for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

/** An offer of a quote. */
interface OfferChoice {
  /** Index of the offer in `data.result` of the quote, counted from 0. @default the only one; for `validate`, all */
  readonly offerIndex?: number | undefined;
}

/** Options of {@link Checkout.validate}. */
export interface CheckoutValidateOptions
  extends OfferChoice,
    Pick<ValidatePassengersOptions, "acceptIssues" | "extraBody"> {}

/** Request of {@link Checkout.book}. */
export interface CheckoutBookRequest extends OfferChoice {
  /** The passengers, at least one. */
  readonly passengers: readonly Passenger[];
  /**
   * Maximum price of this offer, such as `{ amount: "7600.00", currency: "INR" }`, which a fresh quote may not exceed. An
   * explicit `undefined` is refused. @default no limit
   */
  readonly maxTotal?: Money;
  /**
   * Maximum age of the quote in milliseconds. A fresh one is requested if it is older, or from the future (clocks of two
   * machines differ): with `0` always, with `Infinity` never. Without `maxTotal` it may not cost more than the one that
   * was shown. `bookAll` requests one before its first offer in any case, unless this is `Infinity`.
   * @default 0 (always) with `maxTotal`, never without
   */
  readonly requoteIfOlderThan?: number | undefined;
  /** Codes of passenger checks whose errors do not stop the booking. @default [] */
  readonly acceptIssues?: readonly PassengerIssueCode[] | undefined;
  /**
   * The quote that the user agreed to, such as the `quote` of an {@link OfferChangedError}. The booking is refused if
   * the current quote of the trip has other flights or costs more (than `maxTotal`, if given). With it, a retry never
   * books flights or terms that nobody has seen. An explicit `undefined` is refused. @default the current quote of the trip
   */
  readonly agreedQuote?: FareQuote;
  /**
   * Whether to book although an earlier booking of this offer, quote token or journey exists or may exist. The journal
   * keeps both rows. A `clientReferenceId` that is taken is refused all the same. @default false
   */
  readonly allowDuplicate?: boolean | undefined;
  /** Your unique reference of the booking, sent as `client_referenceId`. @default the result of `createReference` of the client */
  readonly clientReferenceId?: string | undefined;
}

/** Request of {@link Checkout.bookAll}. */
export interface CheckoutBookAllRequest
  extends Omit<CheckoutBookRequest, "offerIndex" | "clientReferenceId" | "maxTotal"> {
  /**
   * Maximum price of all offers together: `trip.total` if the user agreed to that. What the trip has booked counts towards
   * it. An explicit `undefined` is refused. @default the price of `agreedQuote`
   */
  readonly maxTotal?: Money;
}

/** A reservation, with its differences from the quote and the next step. */
export interface CheckoutBooking {
  /** The response as received (§4.3). */
  readonly body: Booking;
  /** The airline's confirmation number; empty if the response has none. */
  readonly pnr: string;
  /** The confirmation numbers in the response. A warning says so if there are others than `pnr`. */
  readonly pnrs: readonly string[];
  /** The service's own number, digit by digit; empty if it has none, or a warning says that its digits were lost. */
  readonly bookingId: string;
  /** The `client_referenceId` that was sent. */
  readonly clientReferenceId: string;
  /** Differences from the quote that was shown. */
  readonly changes: BookingChanges;
  /**
   * Whether it costs more than `maxTotal`, or than the quote if there was none: the service may raise a price while it
   * books. Decide before you have it ticketed. Extras are not counted; null if the price cannot be read (§2.10).
   */
  readonly isAboveLimit: boolean | null;
  /** Whether each flight is confirmed, and none wait-listed or on request (§2.8); null if none can be read. */
  readonly isConfirmed: boolean | null;
  /** The next step: have the ticket issued before {@link CheckoutBooking.deadline}. */
  readonly nextStep: NextStep;
  /** Time by which the ticket must be issued; null if the response has none that can be read. */
  readonly deadline: TicketDeadline | null;
  /** Differences of the response from the document, and what the journal could not record. */
  readonly warnings: readonly ValidationIssue[];
}

/** The step after a reservation, which is not a ticket yet (§1, §3.4). */
export interface NextStep {
  /** Have the ticket issued. */
  readonly action: "issueTicket";
  /** The step in sentences for your staff, with the deadline of the ticket and the summary of the changes. */
  readonly message: string;
}

/** The estimated lifetime of a search session (docs/assumptions.md, F2). */
export interface SearchSession {
  /** Time of its first use here, in milliseconds since 1970; null before the first quote. */
  readonly startedAt: number | null;
  /** Estimated end, in milliseconds since 1970; null before the first quote. */
  readonly expiresAt: number | null;
  /** Whether the estimated end has passed: a {@link SessionExpiredError} is likely, but nothing is refused. */
  readonly mayHaveExpired: boolean;
}

/** A part of a trip: an offer of the quote, or what was booked of it or of an earlier search. */
export interface TripPart {
  /** Its flights, as in {@link JournalRow.flights}. */
  readonly flights: readonly string[];
  /** `quoted`, or the state of its row: `rejected` if it was not booked since it was quoted. */
  readonly state: BookingState | "quoted";
  /** Its price: as booked, or as quoted. Null if that cannot be read, or while the booking may exist. */
  readonly price: Money | null;
  /** The row of its latest booking attempt, with the PNR and the reference, or the `reason`; null if it is `quoted`. */
  readonly row: JournalRow | null;
}

/** The quote that the user was shown. */
export interface ShownQuote {
  /** The response of `fareQuote`. */
  readonly body: FareQuote;
  /** Time of the response, in milliseconds since 1970. */
  readonly at: number;
  /** The flights and days of its offers, as in {@link JournalRow.offers}. */
  readonly offers: readonly string[];
}

/** A saved trip: written by `JSON.stringify(trip)`, read by `resumeCheckout`. It holds no passenger data. */
export interface SavedCheckout {
  /** Version of this format. */
  readonly version: 1;
  /** `trace_id` of the search. */
  readonly traceId: string;
  /** Token of the flight in the search result. */
  readonly token: string;
  /** Time of the first request, in milliseconds since 1970. */
  readonly startedAt: number | null;
  /** The quote that the user was shown. */
  readonly shown: ShownQuote | null;
  /** ID of its order. */
  readonly orderId?: string | undefined;
  /** The booking attempts of this trip. */
  readonly attempts: readonly JournalRow[];
}

const day = 86_400_000;
export const paramRules: Rules<CheckoutParams> = each(nonEmptyString, "trace_id", "token");
export const optionRules: Rules<CheckoutOptions> = {
  journal: objectWith("conflict", "claim", "settle", "find", "get", "pending"),
  orderId: nonEmptyString,
  deadlineZone: timeZone,
  sessionLifetime: milliseconds(),
  limits: group(passengerLimitRules),
  now: func,
};
const offerIndex = integer(0);
export const validateRules: Rules<CheckoutValidateOptions> = {
  offerIndex,
  acceptIssues: passengerRules.acceptIssues,
  extraBody: passengerRules.extraBody,
};
export const bookAllRules: Rules<CheckoutBookAllRequest> = {
  passengers: listOf(object, 0),
  maxTotal: priceRule,
  requoteIfOlderThan: anyOf(
    `must be a number of milliseconds between 0 and ${day} (a day), or Infinity`,
    milliseconds(0, day),
    oneOf(Number.POSITIVE_INFINITY),
  ),
  acceptIssues: passengerRules.acceptIssues,
  agreedQuote: quote,
  allowDuplicate: boolean,
};
export const bookRules: Rules<CheckoutBookRequest> = {
  ...bookAllRules,
  offerIndex,
  clientReferenceId: nonEmptyString,
};

/** Checks the request and returns a copy: the caller may change the passengers while a quote is requested. */
export function readRequest<R extends Pick<CheckoutBookRequest, "passengers" | "maxTotal">>(
  owner: string,
  request: R,
  rules: Rules<R>,
): R {
  const given = Object(request);
  // A limit that is undefined by mistake must not count as no limit.
  const guards = ["maxTotal", "agreedQuote"] as const;
  const name = guards.find((one) => Object.hasOwn(given, one) && given[one] === undefined);
  if (name !== undefined) {
    throw new ConfigurationError(
      `${owner}: \`${name}\` is undefined. Pass its value, or leave it out to book without this check. Nothing was sent.`,
    );
  }
  const checked = readOptions<R>(owner, request, rules, ["passengers"]);
  const maxTotal = checked.maxTotal && readMoney(checked.maxTotal.amount, checked.maxTotal.currency);
  return { ...checked, ...(maxTotal && { maxTotal }), passengers: copyOf(owner, "passengers", checked.passengers) };
}

/** Fields of the journal row, which must be what is sent. */
const reserved = ["client_referenceId", "trace_id", "token", "result"];

/** Checks the options of the booking call and returns a copy: an `extraBody` may hold passengers too. */
export function readBookOptions(owner: string, options: RequestOptions): RequestOptions {
  const checked = checkOptions(owner, options, requestRules);
  if (checked.extraBody === undefined) return checked;
  const extraBody = copyOf(owner, "extraBody", checked.extraBody);
  const field = reserved.find((name) => name in extraBody);
  if (field === undefined) return { ...checked, extraBody };
  const own = owner === "trip.book" ? "`clientReferenceId` in the request" : "an `orderId` to the checkout";
  throw new ConfigurationError(
    `${owner}: \`extraBody\` cannot set "${field}": the journal would record another booking than the one that is sent. Pass ${field === "client_referenceId" ? own : "it to the checkout"}.`,
  );
}

function quote(value: unknown): string | undefined {
  return isQuote(value) ? undefined : "must be a fare quote, such as `error.quote` or `trip.shown.body`";
}

/** The parts of a quote that a checkout needs; the rest may have drifted (docs/assumptions.md, A4). */
export function isQuote(body: unknown): boolean {
  const offers = field(field(body, "data"), "result");
  return isListOf(offers, (offer) => isString(field(offer, "token"))) && offers.length > 0;
}

function copyOf<Value extends object>(owner: string, name: string, value: Value): Value {
  const copy = jsonCopy(value);
  if (isObjectOrList(copy) && Array.isArray(copy) === Array.isArray(value)) return copy as Value;
  const message =
    "cannot be serialized as JSON: it has a circular reference or a BigInt, or its toJSON returns another type.";
  throw refusedRequest(owner, name, "not_json", message, "flights.book");
}
