import { defineOperation } from "../operation.ts";
import { checkedSchema } from "../shared/checked-schema.ts";
import { bookingOutcome } from "./booking/outcome.ts";
import { bookingOutcomeUnknown } from "./booking/unknown-outcome.ts";
import { isBooking, isBookParams, isFareQuote, isFareQuoteParams, isFareRule, isFareRuleParams } from "./checks.ts";
import { traceMismatch } from "./trace.ts";
import type { Booking, BookParams, FareQuote, FareQuoteParams, FareRule, FareRuleParams } from "./types/index.ts";

const schemas = () => import("./schemas/index.ts");

/** `POST flight/fare_quote` (§4.4). */
export const fareQuote = defineOperation<FareQuoteParams, FareQuote>({
  name: "flights.fareQuote",
  area: "flights",
  path: "flight/fare_quote",
  params: checkedSchema(isFareQuoteParams, async () => (await schemas()).fareQuoteParamsSchema),
  body: checkedSchema(isFareQuote, async () => (await schemas()).fareQuoteSchema),
  essential: ["data.result[].token", "data.result[].fare.total_fare"],
  validateEcho: traceMismatch,
  retry: "safe",
  timeout: 60_000,
});

/** `POST flight/fare_rule` (§4.5). */
export const fareRule = defineOperation<FareRuleParams, FareRule>({
  name: "flights.fareRule",
  area: "flights",
  path: "flight/fare_rule",
  params: checkedSchema(isFareRuleParams, async () => (await schemas()).fareRuleParamsSchema),
  body: checkedSchema(isFareRule, async () => (await schemas()).fareRuleSchema),
  essential: ["data.result"],
  validateEcho: traceMismatch,
  retry: "safe",
  timeout: 60_000,
});

/** `POST flight/book` (§4.3). Sent once; `bookingOutcome` decides its outcome (docs/assumptions.md, F5). */
export const book = defineOperation<BookParams, Booking>({
  name: "flights.book",
  area: "flights",
  path: "flight/book",
  params: checkedSchema(isBookParams, async () => (await schemas()).bookParamsSchema),
  body: checkedSchema(isBooking, async () => (await schemas()).bookingSchema),
  retry: "never",
  timeout: 180_000,
  validateEcho: traceMismatch,
  isSuccess: (response) => bookingOutcome(response) === "booked",
  isRejection: (response) => bookingOutcome(response, response.kind) === "rejected",
  toUnknownOutcomeError: bookingOutcomeUnknown,
});
