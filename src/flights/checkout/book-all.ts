import { transportOf } from "../../client.ts";
import { ServiceApiError } from "../../errors/base.ts";
import { refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { newReference } from "../../transport/prepare.ts";
import { adviceFor, BookingIncompleteError } from "../errors.ts";
import { conflictsWith, flightsIn, isPending, type JournalRow } from "../journal/journal.ts";
import { compareMoney, type Money, moneyText, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import { orderReference, type Trip } from "./attempt.ts";
import {
  book,
  checkPassengers,
  checkPrice,
  checkQuote,
  freshQuote,
  pickOffer,
  planAttempt,
  shownQuote,
} from "./book.ts";
import { nameOffers } from "./fingerprint.ts";
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
  const agreed = { body: agreedQuote, offers: await nameOffers(agreedQuote) };
  // An offer has its reference once it is known which are booked.
  const plan = (index: number, clientReferenceId = orderReference(orderId ?? "", index)) =>
    planAttempt(trip, agreed, index, { ...asked, orderId, clientReferenceId }, options);
  const first = await plan(0);
  const rows = [first.row];
  for (let index = 1; index < offers.length; index++) {
    const { row } = await plan(index);
    const conflicts = rows.map((other) => conflictsWith(other, row, { force: asked.allowDuplicate === true }));
    const same = conflicts.find((conflict) => conflict !== undefined);
    if (same !== undefined) {
      const must = `must differ for each offer: that with index ${index} has the ${same === "offer" ? "flights" : same} of an offer before it.`;
      throw refusedRequest("trip.bookAll", "agreedQuote", "repeated", must, "flights.book");
    }
    rows.push(row);
  }
  const found = orderId === undefined ? [] : await first.findOrder(orderId);
  const { kept, gone, others } = compareOrder(rows, found);
  const made = [...kept, ...gone];
  for (const row of made) trip.attempts.set(row.attemptId, row);
  const all = [...trip.attempts.values()];
  const names = orderId === undefined ? [] : [...offers, ...made].map((_, i) => orderReference(orderId, i));
  const free = names.filter((name) => !made.some((row) => row.clientReferenceId === name));
  const open = others.map((offerIndex, i) => {
    const { offer } = pickOffer(agreedQuote, offerIndex);
    return { offerIndex, offer, clientReferenceId: free[i] ?? newReference(transportOf(trip.client).options) };
  });
  const bookings: CheckoutBooking[] = [];
  const standing: Standing[] = made.map(({ pnr = "", bookingId = "" }) => ({ pnr, bookingId }));
  let left = maxTotal ?? sumOf(offers.map(priceOf));
  // What the trip has booked is in its total, of which the limit is.
  const paid = maxTotal === undefined ? made : all.filter(isStanding);
  for (const { price = null } of paid) left = left && withoutPrice(left, price);
  let at = open[0];
  try {
    for (const one of open) {
      at = one;
      await (await plan(one.offerIndex, one.clientReferenceId)).refuseConflicts();
    }
    at = undefined;
    const pending = [...found, ...(asked.allowDuplicate ? [] : trip.attempts.values())].find(isPending);
    if (pending !== undefined) throw (await plan(0, open[0]?.clientReferenceId)).alreadySent(pending);
    at = open[0];
    const isFresh = requoteIfOlderThan !== Number.POSITIVE_INFINITY && open.length > 0;
    const { body: current, offers: now } = isFresh ? await freshQuote(trip, options.signal) : shownQuote(trip);
    // Offers whose flights cannot be read have other names in each quote: this one has to do for all.
    const isOnly = open.some(({ offerIndex }) => now[offerIndex] !== agreed.offers[offerIndex]);
    const maxAge = isOnly ? Number.POSITIVE_INFINITY : requoteIfOlderThan;
    const operation = isFresh ? "flights.fareQuote" : "flights.book";
    for (const one of open) {
      at = one;
      const { offerIndex, offer } = one;
      checkQuote(offer, current, offerIndex, maxTotal, operation);
      checkPassengers(trip, passengers, { offerIndex, acceptIssues, extraBody: options.extraBody });
    }
    for (const [i, next] of open.entries()) {
      at = next;
      const { offerIndex, offer, clientReferenceId } = next;
      const priced = open.slice(i).flatMap((other) => current.data.result[other.offerIndex] ?? []);
      const limit = left && lower(priced.slice(1).map(priceOf).reduce(withoutPrice, left), maxTotal ?? priceOf(offer));
      const rest = sumOf(priced.map(priceOf));
      const whole = maxTotal === undefined ? "the price that was agreed to" : "`maxTotal`";
      const complaint = `The offers from this one on cost ${moneyText(rest, "an amount that cannot be read")}, and ${moneyText(left)} is left of ${whole}. If the traveller agrees, book each with trip.book() and its \`offerIndex\`.`;
      if (left !== null)
        checkPrice(rest, current, offerIndex, left, operation, standing.length > 0 ? complaint : undefined);
      const one = { ...asked, agreedQuote, requoteIfOlderThan: maxAge, orderId, offerIndex, clientReferenceId };
      const { booking, price } = await book(trip, one, options, limit ?? undefined);
      const isRepeated = standing.some((made) => made.pnr === booking.pnr && made.bookingId === booking.bookingId);
      bookings.push(isRepeated ? { ...booking, warnings: [...booking.warnings, repeated] } : booking);
      standing.push(booking);
      left = left && withoutPrice(left, price);
    }
  } catch (error) {
    const { offerIndex = -1, clientReferenceId } = at ?? {};
    const about = { bookings, offerIndex, clientReferenceId, left };
    throw standing.length === 0 ? error : incomplete(error, standing, made.length + open.length, about);
  }
  trip.shown = { ...shownQuote(trip), ...agreed };
  return bookings;
}

const isStanding = ({ state }: JournalRow) => state !== "rejected";

/** A booking of the trip that stands: made now, or kept. */
type Standing = Pick<CheckoutBooking, "pnr" | "bookingId"> & Partial<Pick<CheckoutBooking, "changes">>;

const repeated = {
  path: ["pnr"],
  message: "is that of an offer before it, as is its booking ID: look up whether both are booked",
  code: "repeated_booking",
};

/** Returns what is left of a limit: nothing, if the price is not known. */
function withoutPrice(limit: Money, price: Money | null): Money {
  const left = price && subtractMoney(limit, price);
  return left?.amount.startsWith("-") === false ? left : { ...limit, amount: "0" };
}

function lower(one: Money, other: Money | null): Money {
  return other !== null && (compareMoney(other, one) ?? 0) < 0 ? other : one;
}

/** The rows of an order that are booked for the offers of a quote, or for offers that have left it, and the other offers. */
function compareOrder(rows: readonly JournalRow[], found: readonly JournalRow[]) {
  const isOwn = ({ state, order }: JournalRow) => state === "booked" && order !== undefined && order === rows[0]?.order;
  const left = found.filter(isOwn);
  const isSame = (one: JournalRow, other: JournalRow) =>
    one.fingerprint === other.fingerprint || (other.fingerprint !== "" && nameOf(one) === nameOf(other));
  const isInQuote = (one: JournalRow) => rows.some((row) => flightsIn(nameOf(row)) === flightsIn(nameOf(one)));
  const kept: JournalRow[] = [];
  const others: number[] = [];
  for (const [index, row] of rows.entries()) {
    const made = left.findIndex((other) => row.fingerprint !== "" && isSame(row, other));
    // Each row is of one offer: the flights may be booked twice.
    if (made >= 0) kept.push(...left.splice(made, 1));
    else others.push(index);
  }
  const isRead = (row: JournalRow) => row.fingerprint !== "" && nameOf(row) !== "";
  const isGone = (one: JournalRow) => [one, ...rows].every(isRead) && !isInQuote(one);
  return { kept, gone: left.filter(isGone), others };
}

/** The name of the offer of a row, whatever was beside it. */
const nameOf = ({ offers = [] }: Pick<JournalRow, "offers">) => (offers[0] ?? "").replace("?", "");

/** Returns the price of what a trip has booked, as it was booked, and of the other offers that were shown. */
export function totalOf({ shown, attempts }: Trip): Money | null {
  const made = [...attempts.values()].filter(isStanding);
  const open = (shown?.offers ?? []).map((name, i) => {
    return { name: nameOf({ offers: [name] }), price: priceOf(shown?.body.data.result[i] ?? {}) };
  });
  for (const row of made) {
    const exact = open.findIndex(({ name }) => name === nameOf(row));
    const at = exact >= 0 ? exact : open.findIndex(({ name }) => flightsIn(name) === flightsIn(nameOf(row)));
    if (at >= 0) open.splice(at, 1);
  }
  return sumOf([...made, ...open].map(({ price = null }) => price));
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
  const which = about.offerIndex < 0 ? "One that has left the quote" : `That with \`offerIndex\` ${about.offerIndex}`;
  const [are, stand] = standing.length === 1 ? ["is", "stands"] : ["are", "stand"];
  return new BookingIncompleteError({
    message: `${standing.length} of ${count} offers ${are} booked (${made.join("; ")}), and ${stand}. ${which} ${outcome === "unknown" ? "may be, too" : "was not booked now"}: ${message}${rest}`,
    operation: "flights.book",
    ...{ ...about, requestId, outcome, cause },
  });
}
