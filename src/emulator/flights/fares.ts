import { fareQuote, fareRule } from "../../flights/operations.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../flights/schemas.ts";
import type { FareQuoteParams, FareRuleParams, FareRuleResult } from "../../flights/types/index.ts";
import { elementsOf, field } from "../../shared/json.ts";
import { type QuotedResult, quoteSamples, quotesByName, type SearchName } from "../catalogue/quotes.ts";
import { own } from "../names.ts";
import { wholeBody } from "../rules/bodies.ts";
import type { SampleNames } from "../rules/names.ts";
import hostileHtml from "../samples/flight/fare_rule/success-hostile-html.json" with { type: "json" };
import htmlLong from "../samples/flight/fare_rule/success-html-long.json" with { type: "json" };
import roundtrip from "../samples/flight/fare_rule/success-roundtrip.json" with { type: "json" };
import { refuseToken, searchOf, shiftDates, successBody, tokenRefusals } from "./searches.ts";

export const quoteBody = successBody.bind(undefined, "Fare quote retrieved successfully.");

/** The fare quote (§2.4, §4.4). Every quote issues new tokens; the older ones remain valid. */
export const quoting = wholeBody<FareQuoteParams>({
  operation: fareQuote,
  samples: quotesByName,
  schema: fareQuoteSchema,
  sample: quoteBody("", quoteSamples["domestic-oneway-full-service"]),
  refuse: (call) => refuseToken(call, "search"),
  success: (call) => {
    const { name, startedAt } = searchOf(call);
    const quotes = shiftDates(own(quotesByName, call.sample ?? "") ?? quoteSamples[name], startedAt);
    return quoteBody(
      call.body.trace_id,
      quotes.map((quoted) => ({ ...quoted, token: "" })),
    );
  },
  record: (call, body) => {
    const data = field(body, "data");
    const search = searchOf(call);
    // The border: the emulator's own results, or those of a rule, which passed the schema.
    const result = elementsOf(field(data, "result")).map((each) => call.state.keepQuote(search, each as QuotedResult));
    return { ...Object(body), data: { ...Object(data), result } };
  },
});

export const rulesBody = successBody.bind(undefined, "Fare rules retrieved successfully.");

export const ruleSamples: Readonly<Record<SampleNames["flights.fareRule"], readonly FareRuleResult[]>> = {
  "success-html-long": htmlLong.data.result,
  "success-roundtrip": roundtrip.data.result,
  "success-empty-text": htmlLong.data.result.map((rule) => ({ ...rule, fare_rules: "", fare_inclusions: [] })),
  "success-hostile-html": hostileHtml.data.result,
};

const ruleRefusals = { ...tokenRefusals, expired: "Invalid or expired token.", invalid: "Invalid or expired token." };

/** The fare rule look-up (§2.7, §4.5). */
export const ruling = wholeBody<FareRuleParams>({
  operation: fareRule,
  samples: ruleSamples,
  schema: fareRuleSchema,
  sample: rulesBody("", ruleSamples["success-html-long"]),
  refuse: (call) => refuseToken(call, "search", ruleRefusals),
  success: (call) => {
    const { name, startedAt } = searchOf(call);
    const sample = own(ruleSamples, call.sample ?? "") ?? ruleSamples[rulesBySearch[name] ?? "success-html-long"];
    const results = sample.length > 1 ? sample : rulesFor(sample, quoteSamples[name]);
    return rulesBody(call.body.trace_id, shiftDates(results, startedAt));
  },
});

/** The rules of some itineraries. The others have the long text. */
const rulesBySearch: Partial<Record<SearchName, keyof typeof ruleSamples>> = {
  "domestic-oneway-lcc": "success-empty-text",
  "gst-and-hold-mandatory": "success-empty-text",
  "international-roundtrip-family": "success-roundtrip",
};

/** Returns a sample about one direction once for each direction of the itinerary. */
function rulesFor(sample: readonly FareRuleResult[], quoted: readonly QuotedResult[]): readonly FareRuleResult[] {
  const directions = quoted.flatMap(({ fare_rules }) => fare_rules);
  return directions.flatMap(({ origin, destination, airline }) =>
    sample.map((rule) => ({ ...rule, origin, destination, airline })),
  );
}
