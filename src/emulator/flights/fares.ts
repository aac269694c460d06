import type { StandardSchemaV1 } from "@standard-schema/spec";
import { fareQuote, fareRule } from "../../flights/operations.ts";
import { fareQuoteSchema, fareRuleSchema } from "../../flights/schemas/index.ts";
import type { FareQuoteParams, FareRuleParams, FareRuleResult } from "../../flights/types/index.ts";
import { elementsOf, field } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { quoteFailures, ruleFailures, ruleResults } from "../catalogue/flights.ts";
import { type QuotedResult, quoteSamples, type SearchName } from "../catalogue/quotes.ts";
import type { Sample } from "../catalogue/sample.ts";
import type { RuleSampleName } from "../catalogue/scenario-names.ts";
import { own } from "../names.ts";
import { scriptedBody } from "../scripts/scripting.ts";
import { type Behaviour, type Call, defineBehaviour, type EmulatedOperation } from "../service/behaviour.ts";
import { refuseFields } from "../service/refuse-body.ts";
import type { Search } from "../state/state.ts";
import { shiftDates } from "./dates.ts";
import { sampleResponse, success, successBody } from "./responses.ts";
import { anySearch, findSearch, type TokenRefusal } from "./tokens.ts";

type FareParams = FareQuoteParams | FareRuleParams;

/** The parts in which the operations on the token of a search differ. */
interface FareOperation {
  /** The samples of a success by name. */
  readonly successes: Readonly<Record<string, unknown>>;
  readonly failures: Readonly<Record<string, Sample>>;
  readonly refusals: Readonly<Record<TokenRefusal, Sample>>;
  readonly message: string;
  /** Returns the result for a search, or that of the sample requested by name. */
  readonly resultFor: (search: Search, scenario: string) => unknown;
  /** Returns a result as it is sent, once the emulator remembers it. */
  readonly remember?: (result: unknown, search: Search, call: Call<FareParams>) => unknown;
  readonly schema: StandardSchemaV1;
  /** The result of an ordinary success. */
  readonly sample: unknown;
}

function defineFareBehaviour(
  operation: EmulatedOperation<FareParams>,
  { successes, failures, refusals, message, resultFor, remember = (result) => result, schema, sample }: FareOperation,
): Behaviour {
  return defineBehaviour<FareParams>(operation, {
    scenarios: [...Object.keys(successes), ...Object.keys(failures)],
    refuseBody: refuseFields,
    respond: (call) => {
      const scenario = call.scenario ?? "";
      const failure = own(failures, scenario);
      if (failure !== undefined) return sampleResponse(failure);
      const found = findSearch(call);
      if ("refused" in found) return sampleResponse(refusals[found.refused]);
      const result = remember(resultFor(found.search, scenario), found.search, call);
      return success(message, found.search.trace_id, result);
    },
    scripting: scriptedBody<FareParams>({
      schema,
      sample: successBody(message, "", sample),
      success: (call) => successBody(message, call.body.trace_id, resultFor(anySearch(call), "")),
      record: (call, body) => {
        const data = field(body, "data");
        const result = remember(field(data, "result"), anySearch(call), call);
        return { ...Object(body), data: { ...Object(data), result } };
      },
    }),
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
  schema: standardSchema(fareQuoteSchema),
  sample: quoteSamples["domestic-oneway-full-service"],
  resultFor: (search, scenario) =>
    shiftDates(own(quotesByScenario, scenario) ?? quoteSamples[search.name], search.startedAt).map((quoted) => ({
      ...quoted,
      token: "",
    })),
  remember: (result, search, { state }) =>
    elementsOf(result).map((element) => {
      // The border: the emulator's own result, or a scripted one that passed the schema.
      const quoted = element as QuotedResult;
      if (quoted.token === "") return { ...quoted, token: state.issueQuote(search, quoted) };
      state.keepQuote(quoted.token, search, quoted);
      return quoted;
    }),
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
  schema: standardSchema(fareRuleSchema),
  sample: ruleResults["success-html-long"],
  resultFor: (search, scenario) => {
    const sample = own(ruleResults, scenario) ?? ruleResults[rulesBySearch[search.name] ?? "success-html-long"];
    const results = sample.length > 1 ? sample : rulesFor(sample, quoteSamples[search.name]);
    return shiftDates(results, search.startedAt);
  },
});

/** The rules of some itineraries. The others have the long text. */
const rulesBySearch: Partial<Record<SearchName, RuleSampleName>> = {
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
