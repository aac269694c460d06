import { expect, it } from "vitest";
import {
  ConfigurationError,
  InsufficientBalanceError,
  InvalidRequestError,
  OfferUnavailableError,
  ServiceUnavailableError,
  SessionExpiredError,
  TraceMismatchError,
} from "../../src/errors/index.ts";
import {
  adviceFor,
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingIncompleteError,
  BookingInFlightError,
  JournalError,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
} from "../../src/flights/index.ts";
import * as operations from "../../src/flights/operations.ts";

const message = "m";
const conflict: never = { by: "trip" } as never;
const row: never = { clientReferenceId: "order-17" } as never;
const quote: never = { data: { result: [] } } as never;
const limit = { amount: "1", currency: "INR" };

it.each([
  ["BookingAlreadySentError", "booking_already_sent", new BookingAlreadySentError({ message, conflict, row }), { row }],
  ["BookingAlreadySettledError", "booking_already_settled", new BookingAlreadySettledError({ message, row }), { row }],
  [
    "BookingIncompleteError",
    "booking_incomplete",
    new BookingIncompleteError({ message, bookings: [], booked: [], offerIndex: 1 }),
    { bookings: [], booked: [], offerIndex: 1 },
  ],
  ["BookingInFlightError", "booking_in_flight", new BookingInFlightError({ message, row }), { row }],
  ["JournalError", "journal", new JournalError({ message }), {}],
  [
    "OfferChangedError",
    "offer_changed",
    new OfferChangedError({ message, flights: [], offerIndex: 0, quote }),
    { quote, terms: [] },
  ],
  [
    "PriceAboveLimitError",
    "price_above_limit",
    new PriceAboveLimitError({ message, total: null, limit, offerIndex: 0, quote }),
    { quote, limit, total: null },
  ],
])("%s is an error of a checkout", (name, kind, error, fields) => {
  expect([error.name, error.kind]).toEqual([name, kind]);
  for (const [field, value] of Object.entries(fields)) expect(Reflect.get(error, field)).toEqual(value);
});

it("adviceFor says that something is booked already only if the journal says so", () => {
  const textAfter = (state: string) =>
    adviceFor(
      new BookingAlreadySentError({ message, conflict, row: { clientReferenceId: "order-17", state } as never }),
    )?.text;
  expect(textAfter("booked")).toBe("This is booked already. Please do not book again.");
  expect(textAfter("sent")).toBe("The booking may exist already. Please do not book again.");
});

const response = { httpStatus: 200, headers: new Headers() };
const unavailable = (operation: string) =>
  new ServiceUnavailableError("unavailable", { ...response, message, operation, outcome: "unknown" });
const refusal = { ...response, message, operation: "flights.book", outcome: "rejected" } as const;
const passengerIssues: never = [{ path: ["passengers", 0, "dob"], code: "born_after_departure", message }] as never;
const incomplete = (details: object) =>
  new BookingIncompleteError({ message, bookings: [], booked: [bookedRow], offerIndex: 1, ...details });
const sent = new BookingAlreadySentError({ message, conflict, row });
const bookedRow: never = { ...Object(row), state: "booked", flights: ["ZZ 101 DEL-BOM 2027-02-12 06:15"] } as never;
const earlier = new BookingAlreadySentError({ message, conflict, row: bookedRow });
const otherOrder = new BookingAlreadySentError({ message, conflict, row: { ...Object(bookedRow) } });

it.each<[string, string, unknown]>([
  ["correct", "the details of passengers", new PassengerValidationError({ message, issues: passengerIssues })],
  ["correct", "what the service refuses of them", new InvalidRequestError("invalid", refusal)],
  ["confirm", "a price", new PriceAboveLimitError({ message, total: null, limit, offerIndex: 0, quote })],
  ["confirm", "an offer that changed", new OfferChangedError({ message, flights: [], offerIndex: 0, quote })],
  ["search", "an offer that is gone", new OfferUnavailableError("offer_unavailable", refusal)],
  ["search", "a session that expired", new SessionExpiredError("session_expired", refusal)],
  ["retry", "a journal that is down", new JournalError({ message })],
  ["retry", "a quote that failed, whatever its outcome", unavailable("flights.fareQuote")],
  ["retry", "a refusal for want of funds", new InsufficientBalanceError("insufficient_balance", refusal)],
  ["search", "a trace that does not match", new TraceMismatchError("trace_mismatch", refusal)],
  [
    "search",
    "a quote that is refused as invalid",
    new InvalidRequestError("invalid", { ...refusal, operation: "flights.fareQuote" }),
  ],
  ["wait", "a part whose outcome is not known", incomplete({ outcome: "unknown" })],
  ["wait", "a rest that another click has sent", incomplete({ outcome: "notSent", cause: sent })],
  ["wait", "a booking that was sent before", sent],
  ["booked", "a booking that another order has made", earlier],
  ["wait", "a booking whose response was lost", unavailable("flights.book")],
  ["wait", "an outcome of which nobody knows the operation", unavailable("")],
])("the advice is to %s, after %s", (next, _, error) => {
  expect(adviceFor(error)).toMatchObject({
    next,
    text: expect.stringMatching(/^[A-Z].*\.$/),
    ...(next === "confirm" && { quote }),
    ...(next === "booked" && { row: bookedRow }),
  });
  expect(adviceFor(error)?.text.includes("Nothing was booked just now")).toBe(!["wait", "booked"].includes(next));
});

it.each<[string, string, object]>([
  [
    "confirm",
    "whose price rose",
    { outcome: "notSent", cause: new PriceAboveLimitError({ message, total: null, limit, offerIndex: 1, quote }) },
  ],
  [
    "confirm",
    "that changed",
    { outcome: "notSent", cause: new OfferChangedError({ message, flights: [], offerIndex: 1, quote }) },
  ],
  [
    "correct",
    "that wants other passengers",
    { outcome: "notSent", cause: new PassengerValidationError({ message, issues: passengerIssues }) },
  ],
  ["search", "that is gone", { outcome: "rejected", cause: new OfferUnavailableError("offer_unavailable", refusal) }],
  [
    "retry",
    "that was refused for now",
    { outcome: "rejected", cause: new InsufficientBalanceError("insufficient_balance", refusal) },
  ],
  ["booked", "that another order has booked", { outcome: "notSent", cause: otherOrder }],
  ["wait", "that a fault of the program stopped", { outcome: "notSent", cause: new ConfigurationError(message) }],
])("the advice is to %s, with a part of the trip booked, after a rest %s", (next, _, details) => {
  const advice = adviceFor(incomplete(details));
  expect(advice).toMatchObject({
    next,
    booked: [bookedRow],
    text: expect.stringMatching(
      /^A part of the trip is booked, and stands: ZZ 101 DEL-BOM 2027-02-12 06:15\. The rest: /,
    ),
  });
  expect(advice?.text).not.toContain("Nothing was booked");
  if (next === "confirm") expect(advice).toMatchObject({ quote });
  if (next === "correct") expect(advice).toMatchObject({ issues: passengerIssues });
});

it.each(Object.values(operations))(
  "a $name whose outcome is unknown may be made again if that is safe",
  ({ name, retry }) => {
    const list = "a look-up is one of `isLookUp` in src/flights/errors.ts";
    expect(adviceFor(unavailable(name))?.next, list).toBe(retry === "safe" ? "retry" : "wait");
  },
);

it("the advice does not ask for the passengers of the part that is booked, if the service refuses those of the rest", () => {
  const refused = incomplete({ outcome: "rejected", cause: new InvalidRequestError("invalid", refusal) });
  expect(adviceFor(refused)).toMatchObject({
    ...{ next: "correct", booked: [bookedRow] },
    text: expect.stringMatching(/The rest: Please correct the details of the passengers\.$/),
  });
});

it("the advice has the issues of the passengers", () => {
  const error = new PassengerValidationError({ message, issues: passengerIssues });
  expect(adviceFor(error)).toMatchObject({ issues: passengerIssues });
});

it.each([
  ["a fault of the program", new ConfigurationError(message)],
  ["any other error", Object.assign(new Error(message), { kind: "journal" })],
  ["nothing", undefined],
])("there is no advice on %s", (_, value) => {
  expect(adviceFor(value)).toBe(null);
});
