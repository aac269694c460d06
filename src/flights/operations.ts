import { defineOperation } from "../operation.ts";
import { standardSchema } from "../schema.ts";
import { findBookingReference } from "./booking-reference.ts";
import {
  bookingSchema,
  bookParamsSchema,
  fareQuoteParamsSchema,
  fareQuoteSchema,
  fareRuleParamsSchema,
  fareRuleSchema,
} from "./schemas.ts";
import type { Booking, BookParams, FareQuote, FareQuoteParams, FareRule, FareRuleParams } from "./types.ts";
import { bookingOutcomeUnknown } from "./unknown-outcome.ts";

/** `POST flight/fare_quote` (§4.4). */
export const fareQuote = defineOperation<FareQuoteParams, FareQuote>({
  name: "flights.fareQuote",
  area: "flight",
  path: "flight/fare_quote",
  params: standardSchema(fareQuoteParamsSchema),
  body: standardSchema(fareQuoteSchema),
  essential: ["data.result[].token"],
  retry: "safe",
  timeout: 60_000,
});

/** `POST flight/fare_rule` (§4.5). */
export const fareRule = defineOperation<FareRuleParams, FareRule>({
  name: "flights.fareRule",
  area: "flight",
  path: "flight/fare_rule",
  params: standardSchema(fareRuleParamsSchema),
  body: standardSchema(fareRuleSchema),
  essential: ["data.result"],
  retry: "safe",
  timeout: 60_000,
});

/** `POST flight/book` (§4.3). Sent once; an answer that names a booking is returned, whatever else it says (docs/assumptions.md, F5). */
export const book = defineOperation<BookParams, Booking>({
  name: "flights.book",
  area: "flight",
  path: "flight/book",
  params: standardSchema(bookParamsSchema),
  body: standardSchema(bookingSchema),
  retry: "never",
  timeout: 180_000,
  accepts: (body) => findBookingReference(body) !== undefined,
  unknownOutcome: bookingOutcomeUnknown,
});
