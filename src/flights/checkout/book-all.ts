import { transportOf } from "../../client.ts";
import { ServiceApiError } from "../../errors/base.ts";
import { refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { newReference } from "../../transport/prepare.ts";
import { adviceFor, BookingIncompleteError } from "../errors.ts";
import { conflictsWith, type JournalRow } from "../journal/journal.ts";
import { compareMoney, type Money, moneyText, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import type { FareQuoteResult } from "../types/index.ts";
import { isOfTrip, orderReference, type Trip } from "./attempt.ts";
import {
  book,
  checkPassengers,
  checkPrice,
  checkQuote,
  freshQuote,
  hashOffers,
  planAttempt,
  shownQuote,
} from "./book.ts";
import type { CheckoutBookAllRequest, CheckoutBooking } from "./options.ts";

/**
 * Books all offers that the user agreed to, in their order. Before the first is sent, the journal is asked for each, and a
 * fresh quote and the passengers are checked. The limit of each is what `maxTotal`, or else the price that was agreed to,
 * leaves if the others cost as in that quote. What was booked for more than it was quoted leaves less for the rest.
 */
export async function bookAll(
  trip: Trip,
  { orderId, ...asked }: CheckoutBookAllRequest,
  options: RequestOptions,
): Promise<readonly CheckoutBooking[]> {
  const { agreedQuote = shownQuote(trip).body, passengers, acceptIssues, maxTotal, requoteIfOlderThan } = asked;
  const offers = agreedQuote.data.result;
  const agreed = { body: agreedQuote, offers: await hashOffers(agreedQuote) };
  // An offer has its reference once it is known which are booked.
  const plan = (index: number, clientReferenceId = `${index}`) =>
    planAttempt(trip, agreed, index, { ...asked, clientReferenceId }, options);
  const rows: JournalRow[] = [];
  const kept: JournalRow[] = [];
  const others: [offerIndex: number, offer: FareQuoteResult][] = [];
  let earlier: JournalRow[] | undefined;
  for (const [index, offer] of offers.entries()) {
    const attempt = await plan(index);
    const conflicts = rows.map((row) => conflictsWith(row, attempt.row, { force: asked.allowDuplicate === true }));
    const same = conflicts.find((conflict) => conflict !== undefined);
    if (same !== undefined) {
      const must = `must differ for each offer: that with index ${index} has the ${same === "offer" ? "flights" : same} of an offer before it.`;
      throw refusedRequest("trip.bookAll", "agreedQuote", "repeated", must, "flights.book");
    }
    rows.push(attempt.row);
    earlier ??= orderId === undefined ? [] : await attempt.findBooked(orderId);
    const made = earlier.findIndex((row) => row.fingerprint !== "" && row.fingerprint === attempt.row.fingerprint);
    // Each row is of one offer: the flights may be booked twice.
    if (made >= 0) kept.push(...earlier.splice(made, 1));
    else others.push([index, offer]);
  }
  for (const row of earlier ?? []) if (isGone(trip, agreed.offers, row)) kept.push(row);
  for (const row of kept) trip.attempts.set(row.attemptId, row);
  const names = orderId === undefined ? [] : [...offers, ...kept].map((_, i) => orderReference(orderId, i));
  const free = names.filter((name) => !kept.some((row) => row.clientReferenceId === name));
  const open = others.map(([offerIndex, offer], i) => {
    return { offerIndex, offer, clientReferenceId: free[i] ?? newReference(transportOf(trip.client).options) };
  });
  const bookings: CheckoutBooking[] = [];
  const standing: Standing[] = kept.map(({ pnr = "", bookingId = "" }) => ({ pnr, bookingId }));
  let left = maxTotal ?? sumOf(offers.map(priceOf));
  for (const { price = null } of kept) left = left && withoutPrice(left, price);
  let at = open[0];
  try {
    for (const one of open) {
      at = one;
      await (await plan(one.offerIndex, one.clientReferenceId)).refuseConflicts();
    }
    at = open[0];
    const isFresh = requoteIfOlderThan !== Number.POSITIVE_INFINITY && open.length > 0;
    const { body: current } = isFresh ? await freshQuote(trip, options.signal) : shownQuote(trip);
    const operation = isFresh ? "flights.fareQuote" : "flights.book";
    for (const one of open) {
      at = one;
      const { offerIndex, offer } = one;
      checkQuote(offer, current, offerIndex, maxTotal, operation);
      checkPassengers(trip, passengers, { offerIndex, acceptIssues, extraBody: options.extraBody });
    }
    for (const [i, one] of open.entries()) {
      at = one;
      const { offerIndex, offer, clientReferenceId } = one;
      const priced = open.slice(i).flatMap((other) => current.data.result[other.offerIndex] ?? []);
      const limit = left && lower(priced.slice(1).map(priceOf).reduce(withoutPrice, left), maxTotal ?? priceOf(offer));
      const rest = sumOf(priced.map(priceOf));
      const whole = maxTotal === undefined ? "the price that was agreed to" : "`maxTotal`";
      const complaint = `The offers from this one on cost ${moneyText(rest, "an amount that cannot be read")}, and ${moneyText(left)} is left of ${whole}. If the traveller agrees, book each with trip.book() and its \`offerIndex\`.`;
      if (left !== null)
        checkPrice(rest, current, offerIndex, left, operation, standing.length > 0 ? complaint : undefined);
      const { booking, price } = await book(
        trip,
        { ...asked, agreedQuote, offerIndex, clientReferenceId },
        options,
        limit ?? undefined,
      );
      const isRepeated = standing.some((made) => made.pnr === booking.pnr && made.bookingId === booking.bookingId);
      bookings.push(isRepeated ? { ...booking, warnings: [...booking.warnings, repeated] } : booking);
      standing.push(booking);
      left = left && withoutPrice(left, price);
    }
  } catch (error) {
    const { offerIndex = 0, clientReferenceId } = at ?? {};
    const about = { bookings, offerIndex, clientReferenceId, left };
    throw standing.length === 0 ? error : incomplete(error, standing, kept.length + open.length, about);
  }
  return bookings;
}

/** A booking of the trip that stands: made now, or kept. */
type Standing = Pick<CheckoutBooking, "pnr" | "bookingId"> & Partial<Pick<CheckoutBooking, "changes">>;

const repeated = {
  path: ["pnr"],
  message: "is that of an offer before it, as is its booking ID: look up whether both are booked",
  code: "repeated_booking",
};

/** Returns what is left of a limit: nothing, if the price is not known. */
function withoutPrice(limit: Money, price: Money | null): Money {
  return (price && subtractMoney(limit, price)) ?? { ...limit, amount: "0" };
}

function lower(one: Money, other: Money | null): Money {
  return other !== null && (compareMoney(other, one) ?? 0) < 0 ? other : one;
}

/** Whether a booking of this search is of an offer that its quote does not have any more. */
function isGone(trip: Trip, offers: readonly string[], row: JournalRow): boolean {
  const [own] = row.offers ?? [];
  return own !== undefined && isOfTrip(trip, row) && !offers.includes(own);
}

/** Returns the price of what a trip has booked, as it was booked, and of the other offers that were shown. */
export function totalOf({ shown, attempts }: Trip): Money | null {
  const booked = [...attempts.values()].filter(({ state }) => state === "booked");
  const own = booked.map(({ offers }) => offers?.[0]);
  const open = (shown?.body.data.result ?? []).filter((_, i) => {
    const made = own.indexOf(shown?.offers[i]);
    if (made >= 0) own.splice(made, 1);
    return made < 0;
  });
  return sumOf([...booked.map(({ price = null }) => price), ...open.map(priceOf)]);
}

/** Adds prices: null if one is not known, or they differ in their currency. */
function sumOf(prices: readonly (Money | null)[]): Money | null {
  return prices.includes(null) ? null : sumMoney(prices.filter((price) => price !== null));
}

function incomplete(
  cause: unknown,
  standing: readonly Standing[],
  count: number,
  about: Pick<BookingIncompleteError, "bookings" | "offerIndex" | "clientReferenceId" | "left">,
): BookingIncompleteError {
  const known = ServiceApiError.isInstance(cause) ? cause : undefined;
  const { requestId, message = "" } = known ?? {};
  // Another call, such as that of a fresh quote, booked nothing, whatever its own outcome is.
  const outcome = known && known.operation !== "flights.book" ? "notSent" : (known?.outcome ?? "unknown");
  const made = standing.map(({ pnr, bookingId, changes }) => {
    const isDearer = Number(changes?.price.difference?.amount ?? 0) > 0;
    return `${pnr || bookingId}${isDearer ? ", for more than was quoted" : ""}`;
  });
  const rest =
    about.left !== null && adviceFor(cause)?.next === "retry"
      ? ` Of the limit, ${moneyText(about.left)} is left: book the rest with trip.book() and that as \`maxTotal\`, or with bookAll(), its \`orderId\` and the whole limit.`
      : "";
  const [are, stand] = standing.length === 1 ? ["is", "stands"] : ["are", "stand"];
  return new BookingIncompleteError({
    message: `${standing.length} of ${count} offers ${are} booked (${made.join("; ")}), and ${stand}. That with \`offerIndex\` ${about.offerIndex} ${outcome === "unknown" ? "may be, too" : "was not booked now"}: ${message}${rest}`,
    operation: "flights.book",
    ...{ ...about, requestId, outcome, cause },
  });
}
