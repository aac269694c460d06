import { expect, it } from "vitest";
import { ConfigurationError } from "../../src/errors/index.ts";
import {
  BookingAlreadySentError,
  BookingAlreadySettledError,
  BookingIncompleteError,
  BookingInFlightError,
  isCheckoutError,
  JournalError,
  OfferChangedError,
  PriceAboveLimitError,
} from "../../src/flights/index.ts";

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
    new BookingIncompleteError({ message, bookings: [], offerIndex: 1 }),
    { bookings: [], offerIndex: 1 },
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
  expect(isCheckoutError(error)).toBe(true);
  expect([error.name, error.kind]).toEqual([name, kind]);
  for (const [field, value] of Object.entries(fields)) expect(Reflect.get(error, field)).toEqual(value);
});

it.each([
  ["an error of this package", new ConfigurationError(message)],
  ["any other error", Object.assign(new Error(message), { kind: "journal" })],
  ["nothing", undefined],
])("%s is not", (_, value) => {
  expect(isCheckoutError(value)).toBe(false);
});
