import { fareQuote, fareRule } from "../../flights/operations.ts";
import type { FareQuoteParams, FareRuleParams, FareRuleResult } from "../../flights/types/index.ts";
import { quoteFailures, ruleFailures, ruleResults } from "../catalogue/flights.ts";
import { type QuotedResult, quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import type { Sample } from "../catalogue/sample.ts";
import { type Behaviour, type Call, defineBehaviour, type EmulatedOperation } from "../service/behaviour.ts";
import { refuseFields } from "../service/refusals.ts";
import type { Search } from "../state/state.ts";
import { shiftDates } from "./dates.ts";
import { sampleResponse, success } from "./responses.ts";
import { findSearch, type TokenRefusal } from "./tokens.ts";

type FareParams = FareQuoteParams | FareRuleParams;

/** The parts in which the operations on the token of a search differ. */
interface FareOperation {
  /** The samples of a success by name. */
  readonly successes: Readonly<Record<string, unknown>>;
  readonly failures: Readonly<Record<string, Sample | undefined>>;
  readonly refusals: Readonly<Record<TokenRefusal, Sample>>;
  readonly message: string;
  /** Returns the result for a search, or that of the sample requested by name. */
  readonly resultFor: (search: Search, scenario: string, call: Call<FareParams>) => unknown;
}

function defineFareBehaviour(
  operation: EmulatedOperation<FareParams>,
  { successes, failures, refusals, message, resultFor }: FareOperation,
): Behaviour {
  return defineBehaviour<FareParams>(operation, {
    scenarios: [...Object.keys(successes), ...Object.keys(failures)],
    refuseBody: refuseFields,
    respond: (call) => {
      const scenario = call.scenario ?? "";
      const failure = failures[scenario];
      if (failure !== undefined) return sampleResponse(failure);
      const found = findSearch(call);
      if ("refused" in found) return sampleResponse(refusals[found.refused]);
      return success(message, found.search.trace_id, resultFor(found.search, scenario, call));
    },
  });
}

const quotesByScenario: Readonly<Record<string, readonly QuotedResult[]>> = Object.fromEntries(
  Object.entries(quoteSamples).map(([name, results]) => [`success-${name}`, results]),
);

/** The fare quote (§2.4, §4.4). Every quote issues new tokens; the older ones remain valid. */
export const quoting = defineFareBehaviour(fareQuote, {
  successes: quotesByScenario,
  failures: quoteFailures,
  refusals: {
    expired: quoteFailures["failed-expired-token"],
    mismatch: quoteFailures["failed-trace-mismatch"],
    invalid: quoteFailures["failed-invalid-token"],
  },
  message: "Fare quote retrieved successfully.",
  resultFor: (search, scenario, { state }) => {
    const results = shiftDates(quotesByScenario[scenario] ?? quoteSamples[search.name], search.startedAt);
    return results.map((quoted) => ({ ...quoted, token: state.issueQuote(search, quoted) }));
  },
});

/** The fare rule look-up (§2.7, §4.5). */
export const ruling = defineFareBehaviour(fareRule, {
  successes: ruleResults,
  failures: ruleFailures,
  refusals: {
    expired: ruleFailures["failed-expired"],
    mismatch: ruleFailures["failed-trace-mismatch"],
    invalid: ruleFailures["failed-expired"],
  },
  message: "Fare rules retrieved successfully.",
  resultFor: (search, scenario) => {
    const sample = ruleResults[scenario] ?? ruleResults[rulesBySearch[search.name] ?? "success-html-long"] ?? [];
    const results = sample.length > 1 ? sample : rulesFor(sample, quoteSamples[search.name]);
    return shiftDates(results, search.startedAt);
  },
});

/** The rules of some itineraries. The others have the long text. */
const rulesBySearch: Partial<Record<SearchName, string>> = {
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
