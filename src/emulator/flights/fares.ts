import type { StandardSchemaV1 } from "@standard-schema/spec";
import { fareQuote, fareRule } from "../../flights/operations.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../flights/schemas.ts";
import type { FareQuoteParams, FareRuleParams, FareRuleResult } from "../../flights/types/index.ts";
import { elementsOf, field } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { type QuotedResult, quoteSamples, quotesByName, type SearchName } from "../catalogue/quotes.ts";
import { json } from "../http/messages.ts";
import { own } from "../names.ts";
import { wholeBodies } from "../rules/bodies.ts";
import type { SampleNames } from "../rules/names.ts";
import htmlLong from "../samples/flight/fare_rule/success-html-long.json" with { type: "json" };
import roundtrip from "../samples/flight/fare_rule/success-roundtrip.json" with { type: "json" };
import type { Behaviour, Call, EmulatedOperation } from "../service/behaviour.ts";
import type { Search } from "../state/state.ts";
import { shiftDates } from "./dates.ts";
import { refuseToken, searchOf, successBody, tokenRefusals } from "./searches.ts";

type FareParams = FareQuoteParams | FareRuleParams;

/** The parts in which the operations on the token of a search differ. */
interface FareOperation {
  readonly samples: Readonly<Record<string, unknown>>;
  readonly refusals?: typeof tokenRefusals;
  readonly message: string;
  /** Returns the result for a search, or that of the sample requested by name. */
  readonly resultFor: (search: Search, sample: string) => unknown;
  /** Returns a result as it is sent, once the emulator remembers it. */
  readonly remember?: (result: unknown, call: Call<FareParams>) => unknown;
  readonly schema: StandardSchemaV1;
  readonly sample: unknown;
}

function fareBehaviour(
  operation: EmulatedOperation<FareParams>,
  { samples, refusals, message, resultFor, remember = (result) => result, schema, sample }: FareOperation,
): Behaviour<FareParams> {
  const success = (call: Call<FareParams>) =>
    successBody(message, call.body.trace_id, resultFor(searchOf(call), call.sample ?? ""));
  const record = (call: Call<FareParams>, body: unknown) => {
    const data = field(body, "data");
    return { ...Object(body), data: { ...Object(data), result: remember(field(data, "result"), call) } };
  };
  return {
    operation,
    samples: Object.keys(samples),
    respond: (call) => refuseToken(call, "search", refusals) ?? json(200, record(call, success(call))),
    bodies: wholeBodies({ schema, sample: successBody(message, "", sample), success, record }),
  };
}

/** The fare quote (§2.4, §4.4). Every quote issues new tokens; the older ones remain valid. */
export const quoting = fareBehaviour(fareQuote, {
  samples: quotesByName,
  message: "Fare quote retrieved successfully.",
  schema: standardSchema(fareQuoteSchema),
  sample: quoteSamples["domestic-oneway-full-service"],
  resultFor: (search, name) =>
    shiftDates(own(quotesByName, name) ?? quoteSamples[search.name], search.startedAt).map((quoted) => ({
      ...quoted,
      token: "",
    })),
  remember: (result, call) => {
    const search = searchOf(call);
    // The border: the emulator's own results, or those of a rule, which passed the schema.
    return elementsOf(result).map((quoted) => call.state.keepQuote(search, quoted as QuotedResult));
  },
});

const withText = (fare_rules: string): readonly FareRuleResult[] =>
  htmlLong.data.result.map((rule) => ({ ...rule, fare_rules, fare_inclusions: [] }));

const hostileHtml =
  '<img src=x onerror="alert(1)"><script>steal()</script><style>body{display:none}</style>' +
  '<a href="javascript:alert(1)">rules</a><svg/onload=alert(2)><b>Fee INR 3500</b><!-- hidden -->' +
  "<iframe src=//example.com></iframe>&lt;script&gt;text&lt;/script&gt;";

/** Fare rules by name (§2.7). */
export const ruleSamples: Readonly<Record<SampleNames["flights.fareRule"], readonly FareRuleResult[]>> = {
  "success-html-long": htmlLong.data.result,
  "success-roundtrip": roundtrip.data.result,
  "success-empty-text": withText(""),
  "success-hostile-html": withText(hostileHtml),
};

/** The fare rule look-up (§2.7, §4.5). */
export const ruling = fareBehaviour(fareRule, {
  samples: ruleSamples,
  refusals: { ...tokenRefusals, expired: "Invalid or expired token.", invalid: "Invalid or expired token." },
  message: "Fare rules retrieved successfully.",
  schema: standardSchema(fareRuleSchema),
  sample: ruleSamples["success-html-long"],
  resultFor: (search, name) => {
    const sample = own(ruleSamples, name) ?? ruleSamples[rulesBySearch[search.name] ?? "success-html-long"];
    const results = sample.length > 1 ? sample : rulesFor(sample, quoteSamples[search.name]);
    return shiftDates(results, search.startedAt);
  },
});

/** The rules of some itineraries. The others have the long text. */
const rulesBySearch: Partial<Record<SearchName, SampleNames["flights.fareRule"]>> = {
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
