import { transportOf } from "../../client.ts";
import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { newReference } from "../../transport/prepare.ts";
import { adviceFor, BookingIncompleteError } from "../errors.ts";
import { conflictsWith, type JournalRow } from "../journal/journal.ts";
import { compareMoney, type Money, moneyText, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import type { FareQuoteResult } from "../types/index.ts";
import type { Trip } from "./attempt.ts";
import { book, checkPassengers, checkPrice, checkQuote, freshQuote, planAttempt, shownQuote } from "./book.ts";
import type { CheckoutBookAllRequest, CheckoutBooking } from "./options.ts";

/**
 * Books all offers that the user agreed to, in their order. Before the first is sent, the journal is asked for each, and a
 * fresh quote and the passengers are checked. The limit of each is what `maxTotal`, or else the price that was agreed to,
 * leaves if the others cost as in that quote. What was booked for more than it was quoted leaves less for the rest.
 */
export async function bookAll(
  trip: Trip,
  { clientReferenceIds, keepBooked, ...asked }: CheckoutBookAllRequest,
  options: RequestOptions,
): Promise<readonly CheckoutBooking[]> {
  const { agreedQuote = shownQuote(trip).body, passengers, acceptIssues, maxTotal, requoteIfOlderThan } = asked;
  const offers = agreedQuote.data.result;
  if ((keepBooked || clientReferenceIds !== undefined) && clientReferenceIds?.length !== offers.length) {
    throw new ConfigurationError(
      `trip.bookAll: \`clientReferenceIds\` must have one for each offer: ${offers.length}.`,
    );
  }
  const references = [...(clientReferenceIds ?? offers.map(() => newReference(transportOf(trip.client).options)))];
  const rows: JournalRow[] = [];
  const kept: JournalRow[] = [];
  const open: [offerIndex: number, offer: FareQuoteResult][] = [];
  let earlier: JournalRow[] | undefined;
  const plan = (index: number) =>
    planAttempt(trip, agreedQuote, index, { ...asked, clientReferenceId: references[index] }, options);
  for (const [index, offer] of offers.entries()) {
    const attempt = await plan(index);
    const conflicts = rows.map((row) => conflictsWith(row, attempt.row, { force: asked.allowDuplicate === true }));
    const same = conflicts.find((conflict) => conflict !== undefined);
    if (same !== undefined) {
      const must = `must differ for each offer: that with index ${index} has the ${same === "offer" ? "flights" : same} of an offer before it.`;
      const part = same === "reference" ? "clientReferenceIds" : "agreedQuote";
      throw refusedRequest("trip.bookAll", part, "repeated", must, "flights.book");
    }
    rows.push(attempt.row);
    earlier ??= keepBooked ? await attempt.findBooked(references) : [];
    const made = earlier.findIndex((row) => row.fingerprint !== "" && row.fingerprint === attempt.row.fingerprint);
    // Each row is of one offer: the flights may be booked twice.
    if (made >= 0) kept.push(...earlier.splice(made, 1));
    else open.push([index, offer]);
  }
  for (const row of kept) trip.attempts.set(row.attemptId, row);
  // The offers may have another order than when their references were used.
  const free = references.filter((reference) => !kept.some((row) => row.clientReferenceId === reference));
  for (const [i, [index]] of open.entries()) references[index] = free[i] ?? "";
  const bookings: CheckoutBooking[] = [];
  const standing: Standing[] = kept.map(({ pnr = "", bookingId = "" }) => ({ pnr, bookingId }));
  let left = maxTotal ?? totalOf(offers);
  for (const { price = null } of kept) left = left && withoutPrice(left, price);
  const [first = 0] = open[0] ?? [];
  let at = first;
  try {
    for (const [index] of open) {
      at = index;
      await (await plan(index)).refuseConflicts();
    }
    at = first;
    const isFresh = requoteIfOlderThan !== Number.POSITIVE_INFINITY && open.length > 0;
    const current = isFresh ? await freshQuote(trip, options.signal) : shownQuote(trip).body;
    const operation = isFresh ? "flights.fareQuote" : "flights.book";
    for (const [offerIndex, offer] of open) {
      at = offerIndex;
      checkQuote(offer, current, offerIndex, maxTotal, operation);
      checkPassengers(trip, passengers, { offerIndex, acceptIssues, extraBody: options.extraBody });
    }
    for (const [i, [offerIndex, offer]] of open.entries()) {
      at = offerIndex;
      const priced = open.slice(i).flatMap(([index]) => current.data.result[index] ?? []);
      const limit = left && lower(priced.slice(1).map(priceOf).reduce(withoutPrice, left), maxTotal ?? priceOf(offer));
      const one = { ...asked, agreedQuote, offerIndex, clientReferenceId: references[offerIndex] };
      const rest = totalOf(priced);
      const whole = maxTotal === undefined ? "the price that was agreed to" : "`maxTotal`";
      const complaint = `The offers from this one on cost ${moneyText(rest, "an amount that cannot be read")}, and ${moneyText(left)} is left of ${whole}. If the traveller agrees, book each with trip.book() and its \`offerIndex\`.`;
      if (left !== null)
        checkPrice(rest, current, offerIndex, left, operation, standing.length > 0 ? complaint : undefined);
      const { booking, price } = await book(trip, one, options, limit ?? undefined);
      const isRepeated = standing.some((made) => made.pnr === booking.pnr && made.bookingId === booking.bookingId);
      bookings.push(isRepeated ? { ...booking, warnings: [...booking.warnings, repeated] } : booking);
      standing.push(booking);
      left = left && withoutPrice(left, price);
    }
  } catch (error) {
    throw standing.length === 0 ? error : incomplete(error, bookings, standing, at, references, left);
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

/** Returns the price of offers of a quote; null if one cannot be read, or they differ in their currency. */
export function totalOf(offers: readonly FareQuoteResult[]): Money | null {
  const prices = offers.map(priceOf);
  return prices.includes(null) ? null : sumMoney(prices.filter((price) => price !== null));
}

function incomplete(
  cause: unknown,
  bookings: readonly CheckoutBooking[],
  standing: readonly Standing[],
  offerIndex: number,
  references: readonly string[],
  left: Money | null,
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
    left !== null && adviceFor(cause)?.next === "retry"
      ? ` Of the limit, ${moneyText(left)} is left: book the rest with trip.book() and that as \`maxTotal\`, or with bookAll(), \`keepBooked\` and the whole limit.`
      : "";
  const [are, stand] = standing.length === 1 ? ["is", "stands"] : ["are", "stand"];
  return new BookingIncompleteError({
    message: `${standing.length} of ${references.length} offers ${are} booked (${made.join("; ")}), and ${stand}. That with \`offerIndex\` ${offerIndex} ${outcome === "unknown" ? "may be, too" : "was not booked now"}: ${message}${rest}`,
    operation: "flights.book",
    clientReferenceId: references[offerIndex],
    ...{ requestId, outcome, bookings, offerIndex, left, cause },
  });
}
