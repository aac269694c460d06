import { fareQuote, fareRule } from "../../flights/operations.ts";
import type { FareQuoteParams, FareRuleParams, FareRuleResult } from "../../flights/types/index.ts";
import { defineBehaviour } from "../service/behaviour.ts";
import { quoteFailures, ruleFailures, ruleResults } from "../catalogue/flights.ts";
import { type QuotedResult, quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import { shiftDates } from "./dates.ts";
import { type Answer, json } from "../http/response.ts";
import { malformed } from "../http/malformed.ts";
import { findSearch } from "./tokens.ts";

const quotesByScenario: Readonly<Record<string, readonly QuotedResult[]>> = Object.fromEntries(
  Object.entries(quoteSamples).map(([name, results]) => [`success-${name}`, results]),
);

const quoteRefusals = {
  expired: quoteFailures["failed-expired-token"],
  mismatch: quoteFailures["failed-trace-mismatch"],
  invalid: quoteFailures["failed-invalid-token"],
};

/** The fare quote (§2.4, §4.4). Every quote issues new tokens; the older ones stay good. */
export const quoting = defineBehaviour<FareQuoteParams>(fareQuote, {
  scenarios: [...Object.keys(quotesByScenario), ...Object.keys(quoteFailures)],
  malformed,
  answer: (call) => {
    const scenario = call.scenario ?? "";
    const failure = quoteFailures[scenario];
    if (failure !== undefined) return json(failure.status, failure.body);
    const found = findSearch(call);
    if ("refused" in found) return json(quoteRefusals[found.refused].status, quoteRefusals[found.refused].body);
    const { search } = found;
    const results = shiftDates(quotesByScenario[scenario] ?? quoteSamples[search.name], search.startedAt);
    return success(
      "Fare quote retrieved successfully.",
      search.trace_id,
      results.map((quoted) => ({ ...quoted, token: call.state.issueQuote(search, quoted) })),
    );
  },
});

const ruleRefusals = {
  expired: ruleFailures["failed-expired"],
  mismatch: ruleFailures["failed-trace-mismatch"],
  invalid: ruleFailures["failed-expired"],
};

/** Which rules belong to which itinerary; the others have the long text. */
const rulesBySearch: Partial<Record<SearchName, string>> = {
  "domestic-oneway-lcc": "success-empty-text",
  "gst-and-hold-mandatory": "success-empty-text",
  "international-roundtrip-family": "success-roundtrip",
};

/** The fare rule look-up (§2.7, §4.5). */
export const ruling = defineBehaviour<FareRuleParams>(fareRule, {
  scenarios: [...Object.keys(ruleResults), ...Object.keys(ruleFailures)],
  malformed,
  answer: (call) => {
    const scenario = call.scenario ?? "";
    const failure = ruleFailures[scenario];
    if (failure !== undefined) return json(failure.status, failure.body);
    const found = findSearch(call);
    if ("refused" in found) return json(ruleRefusals[found.refused].status, ruleRefusals[found.refused].body);
    const { search } = found;
    const sample = ruleResults[scenario] ?? ruleResults[rulesBySearch[search.name] ?? "success-html-long"] ?? [];
    const results = sample.length > 1 ? sample : rulesFor(sample, quoteSamples[search.name]);
    return success("Fare rules retrieved successfully.", search.trace_id, shiftDates(results, search.startedAt));
  },
});

/** A sample about one direction, once for each of the itinerary's. */
function rulesFor(sample: readonly FareRuleResult[], quoted: readonly QuotedResult[]): readonly FareRuleResult[] {
  const directions = quoted.flatMap(({ fare_rules }) => fare_rules);
  return directions.flatMap(({ origin, destination, airline }) =>
    sample.map((rule) => ({ ...rule, origin, destination, airline })),
  );
}

/** A success of §4.3–§4.5. */
export function success(message: string, trace_id: string, result: unknown): Answer {
  return json(200, { status: "SUCCESS", status_code: "200", message, data: { trace_id, result } });
}
