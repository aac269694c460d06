import { type EchoRule, judge, loadProof, operationOf } from "../operation.ts";
import { checkedSchema } from "../shared/validate.ts";
import { bookingSchema, bookParamsSchema, fareQuoteSchema, fareRuleSchema, searchParamsSchema } from "./schemas.ts";
import type { Booking, BookParams, FareQuote, FareQuoteParams, FareRule, FareRuleParams } from "./types/index.ts";

/** §4.4, §4.5: a response contains the trace of its search. */
const traceEcho: EchoRule = {
  response: "data.trace_id",
  request: "trace_id",
  onMismatch: "refused",
  code: "trace_mismatch",
};

/** The trace and the reference in any part of a response are those of the request; a `traceId` around it is a gateway's. */
const bookingEchoes: readonly EchoRule[] = [
  ...["trace_id", "request.trace_id", "data.**.trace_id"].map((response) => ({ ...traceEcho, response })),
  {
    response: "**.client_referenceId",
    request: "client_referenceId",
    onMismatch: "refused",
    code: "reference_mismatch",
  },
];

/** §2.9: a booked passenger has the values of the request. */
const passengerEchoes = ["fname", "lname", "dob", "passenger_type", "gender", "title"].map(
  (name): EchoRule => ({
    response: `data.result.passengers[].${name}`,
    request: `passengers[].${name}`,
    onMismatch: "warning",
    code: "passenger_mismatch",
    compare: "name",
    // Of two people, each is booked.
    required: name === "fname",
  }),
);

const lookUp = {
  area: "flights",
  params: checkedSchema(searchParamsSchema),
  echo: [traceEcho],
  retry: "safe",
  timeout: 60_000,
} as const;

/** `POST flight/fare_quote` (§4.4). */
export const fareQuote = operationOf<FareQuoteParams, FareQuote>({
  ...lookUp,
  name: "flights.fareQuote",
  path: "flight/fare_quote",
  body: checkedSchema(fareQuoteSchema),
  essential: ["data.result[].token", "data.result[].fare.total_fare"],
});

/** `POST flight/fare_rule` (§4.5). */
export const fareRule = operationOf<FareRuleParams, FareRule>({
  ...lookUp,
  name: "flights.fareRule",
  path: "flight/fare_rule",
  body: checkedSchema(fareRuleSchema),
  essential: ["data.result"],
});

let proof: typeof import("./booking/outcome.ts") | undefined;

/** `POST flight/book` (§4.3). A booking has to be proved, and so has a refusal (docs/assumptions.md, F5). */
export const book = operationOf<BookParams, Booking>({
  name: "flights.book",
  area: "flights",
  path: "flight/book",
  params: checkedSchema(bookParamsSchema),
  body: checkedSchema(bookingSchema),
  retry: "never",
  timeout: 180_000,
  echo: [...bookingEchoes, ...passengerEchoes],
  isSuccess: (response, { knownMessages }) => proof?.provesBooking(response, knownMessages?.booked) === true,
  toUnknownOutcomeError: (error, call, options) =>
    proof?.bookingOutcomeUnknown(error, call, options?.knownMessages?.booked) ?? error,
  async [judge]() {
    const [prove, loaded] = await Promise.all([loadProof(), import("./booking/outcome.ts")]);
    proof = loaded;
    return prove;
  },
});
