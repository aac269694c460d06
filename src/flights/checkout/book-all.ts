import { transportOf } from "../../client.ts";
import { ServiceApiError } from "../../errors/base.ts";
import { refusedRequest } from "../../errors/request.ts";
import type { RequestOptions } from "../../options.ts";
import { newReference } from "../../transport/prepare.ts";
import { adviceFor, BookingAlreadySentError, BookingIncompleteError } from "../errors.ts";
import { conflictsWith, flightsIn, isPending, type JournalRow } from "../journal/journal.ts";
import { orderReference } from "../journal/reconcile.ts";
import { compareMoney, type Money, moneyText, priceOf, subtractMoney, sumMoney } from "../quote/money.ts";
import type { Trip } from "./attempt.ts";
import {
  book,
  type ComparedQuote,
  checkOffer,
  checkPassengers,
  checkPrice,
  checkQuote,
  freshQuote,
  pickOffer,
  planAttempt,
  shownBefore,
  shownQuote,
} from "./book.ts";
import { describeFlights, nameOffers, readFlights } from "./fingerprint.ts";
import type { CheckoutBookAllRequest, CheckoutBooking, ShownQuote, TripPart } from "./options.ts";

/**
 * Books all offers that the user agreed to, in their order. Before the first is sent, the journal is asked for each, and a
 * fresh quote and the passengers are checked. The limit of each is what `maxTotal`, or else the price that was agreed to,
 * leaves if the others cost as in that quote. What was booked for more than it was quoted leaves less for the rest.
 *
 * @param bookings - What was made before the order was read again.
 */
export async function bookAll(
  trip: Trip,
  request: CheckoutBookAllRequest,
  options: RequestOptions,
  bookings: CheckoutBooking[] = [],
): Promise<readonly CheckoutBooking[]> {
  const { agreedQuote = shownQuote(trip).body, acceptIssues, maxTotal, allowDuplicate = false } = request;
  const agreed = { body: agreedQuote, offers: await nameOffers(agreedQuote) };
  const { order, booked, others, found, open, count, plan } = await readOrder(trip, agreed, request, options);
  const standing = [...booked, ...others];
  // `trip.total` counts all that the trip has booked, so a limit does too.
  const paid = maxTotal === undefined || allowDuplicate ? booked : [...trip.attempts.values()].filter(mayStand);
  let remaining = maxTotal ?? sumPrices(agreedQuote.data.result.map(priceOf));
  for (const row of paid) remaining = remaining && withoutPrice(remaining, paidFor(row));
  let current = open[0];
  try {
    if (others[0] !== undefined) throw otherParty(others[0]);
    if (!allowDuplicate) for (current of open) refuseFlights(current.row, booked);
    for (current of open) await (await plan(current.offerIndex, current.clientReferenceId)).refuseConflicts();
    current = undefined;
    const pending = [...found, ...(allowDuplicate ? [] : trip.attempts.values())].find(isPending);
    if (pending !== undefined) throw (await plan(0, open[0]?.clientReferenceId)).alreadySent(pending);
    current = open[0];
    const isFresh = request.requoteIfOlderThan !== Number.POSITIVE_INFINITY && open.length > 0;
    const compared = isFresh ? await freshQuote(trip, options.signal) : shownBefore(trip);
    // An offer whose flights cannot be read has another name in each quote: all are booked on this one.
    const isNameless = open.some(({ offerIndex: i }) => compared.quote.offers[i] !== agreed.offers[i]);
    const requoteIfOlderThan = isNameless ? Number.POSITIVE_INFINITY : request.requoteIfOlderThan;
    for (current of open) checkOffer(compared, current.offer, current.offerIndex);
    current = open[0];
    const limitFrom = (i: number) => limitOf(trip, open.slice(i), compared, remaining, request, standing.length > 0);
    limitFrom(0);
    for (current of open) {
      const { offerIndex, offer } = current;
      checkQuote(compared, offer, offerIndex, maxTotal);
      const checks = { acceptIssues, extraBody: options.extraBody, offerIndex };
      checkPassengers(trip, compared.quote, request.passengers, checks);
    }
    for (const [i, { offerIndex, clientReferenceId }] of open.entries()) {
      current = open[i];
      const asked = { ...request, agreedQuote, offerIndex, clientReferenceId, requoteIfOlderThan };
      const { booking, row } = await book(trip, asked, options, compared, limitFrom(i) ?? undefined);
      const isRepeated = standing.some(({ pnr, bookingId }) => pnr === row.pnr && bookingId === row.bookingId);
      bookings.push(isRepeated ? { ...booking, warnings: [...booking.warnings, repeated] } : booking);
      standing.push(row);
      remaining = remaining && withoutPrice(remaining, row.price ?? null);
    }
  } catch (error) {
    const { offerIndex = -1, clientReferenceId } = current ?? {};
    const about = { bookings, offerIndex, clientReferenceId, left: remaining };
    if (wasBookedMeanwhile(error, trip, order, found))
      return bookAll(trip, { ...request, agreedQuote }, options, bookings);
    throw standing.length === 0 ? error : incomplete(error, trip, standing, count, about);
  }
  // All is booked: an offer that only a fresh quote has is not in the total. The age of what was agreed to is not known.
  trip.shown = { body: agreedQuote, at: 0, offers: agreed.offers };
  return bookings;
}

type Agreed = Pick<ShownQuote, "body" | "offers">;
/** An offer to book, with the reference to send. */
type OpenOffer = Awaited<ReturnType<typeof readOrder>>["open"][number];

/** Finds what is booked for an order, and what is left to book. The trip knows the bookings from then on. */
async function readOrder(trip: Trip, agreed: Agreed, request: CheckoutBookAllRequest, options: RequestOptions) {
  const { orderId } = trip;
  const { allowDuplicate = false } = request;
  const referenceOf = (_: unknown, index: number) =>
    orderId === undefined ? newReference(transportOf(trip.client).options) : orderReference(orderId, index);
  const own = agreed.offers.map(referenceOf);
  // Which reference of an order an offer has is known once it is known which are booked.
  const plan = (index: number, clientReferenceId = own[index]) =>
    planAttempt(trip, agreed, index, { ...request, clientReferenceId }, options);
  const attempts = await Promise.all(own.map((reference, index) => plan(index, reference)));
  const rows = attempts.map(({ row }) => row);
  refuseRepeated(rows, allowDuplicate);
  const found = (await attempts[0]?.findBookings()) ?? [];
  const { order, booked, open: indexes } = compareOrder(rows, found);
  const references = orderId === undefined ? own : [...rows, ...booked].map(referenceOf);
  const free = references.filter((one) => !booked.some((row) => row.clientReferenceId === one));
  const open = indexes.map((offerIndex, i) => {
    const { offer } = pickOffer(agreed.body, offerIndex);
    return { offerIndex, offer, row: rows[offerIndex] as JournalRow, clientReferenceId: free[i] };
  });
  const others = found.filter((row) => row.state === "booked" && row.order !== order);
  const quoted = rows.map(nameOf);
  const count = booked.length + open.length + others.filter((row) => !quoted.includes(nameOf(row))).length;
  return { order, booked, others, found, open, count, plan };
}

/** An order is of one party: a corrected name may be another person. */
function otherParty({ clientReferenceId }: JournalRow) {
  const must = `must be those of ${clientReferenceId}, which is booked: for others, pass a new \`orderId\`, or have it cancelled.`;
  return refusedRequest("trip.bookAll", "passengers", "other_party", must, "flights.book");
}

/** Whether another call has booked an offer of the order since it was read, which stopped this call. The trip knows it then. */
function wasBookedMeanwhile(error: unknown, trip: Trip, order: string | undefined, found: readonly JournalRow[]) {
  if (!BookingAlreadySentError.isInstance(error) || error.row.state !== "booked") return false;
  const { conflict, row } = error;
  const isOwn = conflict === "reference" || (order !== undefined && row.order === order);
  if (!isOwn || found.some(({ attemptId, state }) => attemptId === row.attemptId && state === "booked")) return false;
  trip.attempts.set(row.attemptId, row);
  return true;
}

/** Two offers of a quote that conflict could not both be booked. */
function refuseRepeated(rows: readonly JournalRow[], force: boolean): void {
  for (const [index, row] of rows.entries()) {
    const before = rows.slice(0, index);
    const same = before.map((other) => conflictsWith(other, row, { force })).find((conflict) => conflict !== undefined);
    if (same !== undefined)
      throw repeatedOffer(row, `the ${same === "offer" ? "flights" : same} of an offer before it`);
    if (!force) refuseFlights(row, before);
  }
}

/** Two offers with a flight in common are alternatives, or are of two searches that cut a journey in other ways. */
function refuseFlights(row: JournalRow, others: readonly JournalRow[]): void {
  const flightsOf = ({ flights = [] }: JournalRow) => flights.map((text) => text.replace(/ [\d:]+$/, ""));
  const own = flightsOf(row);
  const other = others.find((one) => flightsOf(one).some((flight) => own.includes(flight)));
  if (other !== undefined)
    throw repeatedOffer(
      row,
      `a flight of ${other.clientReferenceId}`,
      other.state === "booked" ? "not be booked" : undefined,
    );
}

function repeatedOffer({ result }: JournalRow, what: string, goal = "differ for each offer") {
  const must = `must ${goal}: that with index ${result} has ${what}.`;
  return refusedRequest("trip.bookAll", "agreedQuote", "repeated", must, "flights.book");
}

/** Returns the limit of the first of some offers, of which all must fit what is left; null if there is none. */
function limitOf(
  trip: Trip,
  offers: readonly OpenOffer[],
  compared: ComparedQuote,
  remaining: Money | null,
  { maxTotal }: CheckoutBookAllRequest,
  isPartBooked: boolean,
): Money | null {
  const [first, ...others] = offers;
  if (remaining === null || first === undefined) return null;
  const priceIn = ({ offerIndex }: OpenOffer) => priceOf(compared.quote.body.data.result[offerIndex] ?? {});
  const rest = sumPrices(offers.map(priceIn));
  const whole = maxTotal === undefined ? "the price that was agreed to" : "`maxTotal`";
  const goOn =
    trip.orderId === undefined || totalOf(trip) === null
      ? `book each with trip.book() and its \`offerIndex\`${trip.orderId === undefined ? "" : ", in a trip without `orderId`"}`
      : "call bookAll() with the new quote as `agreedQuote`, and `trip.total` as `maxTotal`";
  const costs = moneyText(rest, "an amount that cannot be read");
  const complaint = isPartBooked
    ? `The offers from this one on cost ${costs}, and ${moneyText(remaining)} is left of ${whole}. If the traveller agrees, ${goOn}.`
    : `The offers together cost ${costs}, above the limit of ${moneyText(remaining)}. Nothing was booked: show the new price and ask again.`;
  checkPrice(compared, rest, first.offerIndex, remaining, isPartBooked || others.length > 0 ? complaint : undefined);
  const [left, own] = [others.map(priceIn).reduce(withoutPrice, remaining), maxTotal ?? priceOf(first.offer)];
  return own !== null && (compareMoney(own, left) ?? 0) < 0 ? own : left;
}

/** A row that is `booked`, or may be. */
const mayStand = ({ state }: JournalRow) => state !== "rejected";

/** The price of a booking; null if it is not known, or not whether it was made. */
const paidFor = ({ state, price }: JournalRow): Money | null => (state === "booked" && price) || null;

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

/**
 * Returns what an order has booked, in the quote or gone from it, and the indexes of the other offers. A row that may be in the
 * quote, because flights cannot be read, is left out: it conflicts with the offer as any row does.
 */
function compareOrder(rows: readonly JournalRow[], found: readonly JournalRow[]) {
  const order = rows[0]?.order;
  const isOwn = (row: JournalRow) => order !== undefined && row.order === order && hasFlights(row);
  const unmatched = found.filter((row) => row.state === "booked" && isOwn(row));
  const booked: JournalRow[] = [];
  const open: number[] = [];
  for (const [index, row] of rows.entries()) {
    // A flight that was moved within its day has another fingerprint.
    const isSame = (other: JournalRow) => row.fingerprint === other.fingerprint || nameOf(row) === nameOf(other);
    const match = unmatched.findIndex(isSame);
    // Each row is of one offer: the flights may be booked twice.
    if (match >= 0) booked.push(...unmatched.splice(match, 1));
    else open.push(index);
  }
  const quoted = rows.map((row) => flightsIn(nameOf(row)));
  const gone = unmatched.filter((row) => !quoted.includes(flightsIn(nameOf(row))));
  return { order, booked: rows.every(hasFlights) ? [...booked, ...gone] : booked, open };
}

const hasFlights = (row: JournalRow) => row.fingerprint !== "" && nameOf(row) !== "";

/** The name of the offer of a row, whatever was beside it. */
const nameOf = ({ offers = [] }: Pick<JournalRow, "offers">) => (offers[0] ?? "").replace("?", "");

/** Returns the price of what a trip has booked, as it was booked, and of the other offers that were shown. */
export const totalOf = (trip: Trip): Money | null => sumPrices(partsOf(trip).map(({ price }) => price));

/** Returns what a trip has booked, or may have, and the other offers that were shown. */
export function partsOf({ shown, attempts }: Trip): TripPart[] {
  const made = [...attempts.values()].filter(mayStand);
  const rejected = [...attempts.values()].filter((row) => !mayStand(row) && row.sentAt > (shown?.at ?? 0));
  const open = (shown?.offers ?? []).map((name, index) => {
    return { name: nameOf({ offers: [name] }), index, offer: shown?.body.data.result[index] ?? {} };
  });
  for (const row of made) {
    // Of several that may be it, that at its index is the most probable.
    const likely = [...open.filter(({ index }) => index === row.result), ...open];
    const own =
      likely.find(({ name }) => name === nameOf(row)) ??
      likely.find(({ name }) => flightsIn(name) === flightsIn(nameOf(row))) ??
      // Flights that cannot be read have another name in each quote.
      likely.find(({ offer }) => row.fingerprint === "" && !readFlights(offer).isRead);
    if (own !== undefined) open.splice(open.indexOf(own), 1);
  }
  return [
    ...made.map((row) => ({ flights: row.flights ?? [], state: row.state, price: paidFor(row), row })),
    ...open.map(({ name, offer }) => {
      const row = rejected.findLast((one) => nameOf(one) === name) ?? null;
      return { flights: describeFlights(offer), state: row?.state ?? ("quoted" as const), price: priceOf(offer), row };
    }),
  ];
}

/** Adds prices: null if one is not known, or they differ in their currency. */
export function sumPrices(prices: readonly (Money | null)[]): Money | null {
  return prices.includes(null) ? null : sumMoney(prices.filter((price) => price !== null));
}

function incomplete(
  cause: unknown,
  { orderId }: Trip,
  booked: readonly JournalRow[],
  count: number,
  about: Pick<BookingIncompleteError, "bookings" | "offerIndex" | "clientReferenceId" | "left">,
): BookingIncompleteError {
  const known = ServiceApiError.isInstance(cause) ? cause : undefined;
  const { requestId, message = "" } = known ?? {};
  // Another call, such as that of a fresh quote, booked nothing, whatever its own outcome is.
  const outcome = known && known.operation !== "flights.book" ? "notSent" : (known?.outcome ?? "unknown");
  const made = booked.map(({ clientReferenceId, flights = [] }) => {
    const booking = about.bookings.find((one) => one.clientReferenceId === clientReferenceId);
    const isDearer = Number(booking?.changes.price.difference?.amount ?? 0) > 0;
    return [clientReferenceId, ...flights, ...(isDearer ? ["for more than was quoted"] : [])].join(", ");
  });
  const how = orderId === undefined ? "trip.book() and that as `maxTotal`" : "bookAll() and the whole limit";
  const rest =
    about.left !== null && adviceFor(cause)?.next === "retry"
      ? ` Of the limit, ${moneyText(about.left)} is left: book the rest with ${how}.`
      : "";
  const which = about.offerIndex < 0 ? "One that has left the quote" : `That with \`offerIndex\` ${about.offerIndex}`;
  const [are, stand] = booked.length === 1 ? ["is", "stands"] : ["are", "stand"];
  return new BookingIncompleteError({
    message: `${booked.length} of ${count} offers ${are} booked (${made.join("; ")}), and ${stand}. ${which} ${outcome === "unknown" ? "may be, too" : "was not booked now"}: ${message}${rest}`,
    operation: "flights.book",
    ...{ ...about, booked, requestId, outcome, cause },
  });
}
