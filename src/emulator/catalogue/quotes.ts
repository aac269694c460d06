import type { FareQuoteResult } from "../../flights/types/index.ts";
import quoteSuccessDomesticOnewayFullService from "../samples/flight/fare_quote/success-domestic-oneway-full-service.json" with {
  type: "json",
};
import quoteSuccessDomesticOnewayLcc from "../samples/flight/fare_quote/success-domestic-oneway-lcc.json" with {
  type: "json",
};
import quoteSuccessDomesticRoundtripOneToken from "../samples/flight/fare_quote/success-domestic-roundtrip-one-token.json" with {
  type: "json",
};
import quoteSuccessDomesticRoundtripTwoResults from "../samples/flight/fare_quote/success-domestic-roundtrip-two-results.json" with {
  type: "json",
};
import quoteSuccessEmptyResult from "../samples/flight/fare_quote/success-empty-result.json" with { type: "json" };
import quoteSuccessGstAndHoldMandatory from "../samples/flight/fare_quote/success-gst-and-hold-mandatory.json" with {
  type: "json",
};
import quoteSuccessHigherThanSearch from "../samples/flight/fare_quote/success-higher-than-search.json" with {
  type: "json",
};
import quoteSuccessInternationalRoundtripFamily from "../samples/flight/fare_quote/success-international-roundtrip-family.json" with {
  type: "json",
};
import quoteSuccessLongDecimals from "../samples/flight/fare_quote/success-long-decimals.json" with { type: "json" };
import quoteSuccessNestedMiniRules from "../samples/flight/fare_quote/success-nested-mini-rules.json" with {
  type: "json",
};
import quoteSuccessPerPassengerBreakdown from "../samples/flight/fare_quote/success-per-passenger-breakdown.json" with {
  type: "json",
};
import quoteSuccessPlaceholderMiniRules from "../samples/flight/fare_quote/success-placeholder-mini-rules.json" with {
  type: "json",
};
import quoteSuccessSeniorFare from "../samples/flight/fare_quote/success-senior-fare.json" with { type: "json" };

/** The name of an itinerary that can be searched for. */
export type SearchName =
  | "domestic-oneway-full-service"
  | "domestic-oneway-lcc"
  | "domestic-roundtrip-one-token"
  | "domestic-roundtrip-two-results"
  | "empty-result"
  | "gst-and-hold-mandatory"
  | "higher-than-search"
  | "international-roundtrip-family"
  | "long-decimals"
  | "nested-mini-rules"
  | "per-passenger-breakdown"
  | "placeholder-mini-rules"
  | "senior-fare";

/** Fare quote results by the name of their search (§2.4). The document shows only the ordinary ones. */
export const quoteSamples: Readonly<Record<SearchName, readonly QuotedResult[]>> = {
  "domestic-oneway-full-service": quoteSuccessDomesticOnewayFullService.data.result,
  "domestic-oneway-lcc": quoteSuccessDomesticOnewayLcc.data.result,
  "domestic-roundtrip-one-token": quoteSuccessDomesticRoundtripOneToken.data.result,
  "domestic-roundtrip-two-results": quoteSuccessDomesticRoundtripTwoResults.data.result,
  "empty-result": quoteSuccessEmptyResult.data.result,
  "gst-and-hold-mandatory": quoteSuccessGstAndHoldMandatory.data.result,
  "higher-than-search": quoteSuccessHigherThanSearch.data.result,
  "international-roundtrip-family": quoteSuccessInternationalRoundtripFamily.data.result,
  "long-decimals": quoteSuccessLongDecimals.data.result,
  "nested-mini-rules": quoteSuccessNestedMiniRules.data.result,
  "per-passenger-breakdown": quoteSuccessPerPassengerBreakdown.data.result,
  "placeholder-mini-rules": quoteSuccessPlaceholderMiniRules.data.result,
  "senior-fare": quoteSuccessSeniorFare.data.result,
};

/** A fare quote result of a sample: the token is a placeholder, and one sample nests its mini fare rules. */
export interface QuotedResult extends Omit<FareQuoteResult, "token" | "mini_fare_rules"> {
  readonly token: string;
  readonly mini_fare_rules: readonly unknown[];
}
