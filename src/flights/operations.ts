import { bookTimeout } from "../defaults.ts";
import type { Issue } from "../errors/base.ts";
import { defineOperation, type SentCall } from "../operation.ts";
import { checkedSchema } from "../shared/checked-schema.ts";
import { provesBooking } from "./booking/proof.ts";
import { bookingOutcomeUnknown } from "./booking/unknown-outcome.ts";
import { isBooking, isBookParams, isFareQuote, isFareQuoteParams, isFareRule, isFareRuleParams } from "./checks.ts";
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

/** `POST flight/book` (§4.3). Sent once: a booking has to be proved, and so has a refusal (docs/assumptions.md, F5). */
export const book = defineOperation<BookParams, Booking>({
  name: "flights.book",
  area: "flights",
  path: "flight/book",
  params: checkedSchema(isBookParams, async () => (await schemas()).bookParamsSchema),
  body: checkedSchema(isBooking, async () => (await schemas()).bookingSchema),
  retry: "never",
  timeout: bookTimeout,
  validateEcho: traceMismatch,
  isSuccess: (response, { knownMessages }) => provesBooking(response, knownMessages?.booked),
  toUnknownOutcomeError: bookingOutcomeUnknown,
});

/**
 * Returns an issue if `data.trace_id` is not that of the request (§4.4, §4.5): the response belongs to another search.
 */
function traceMismatch(body: Readonly<Record<string, unknown>>, { body: sent }: SentCall): readonly Issue[] {
  const { trace_id: received } = Object(body.data);
  const isGiven = (typeof received === "string" && received !== "") || typeof received === "number";
  if (!isGiven || String(received) === String(sent.trace_id)) return [];
  return [{ path: ["data", "trace_id"], message: "is not the trace_id that was sent", code: "trace_mismatch" }];
}
