import type { FareQuoteResult } from "../../flights/types/index.ts";
import { tableOf } from "../names.ts";
import oneway from "../samples/flight/fare_quote/success-domestic-oneway-full-service.json" with { type: "json" };
import lowCost from "../samples/flight/fare_quote/success-domestic-oneway-lcc.json" with { type: "json" };
import oneToken from "../samples/flight/fare_quote/success-domestic-roundtrip-one-token.json" with { type: "json" };
import twoResults from "../samples/flight/fare_quote/success-domestic-roundtrip-two-results.json" with { type: "json" };
import family from "../samples/flight/fare_quote/success-international-roundtrip-family.json" with { type: "json" };

/** A fare quote result of a sample. Its token is a placeholder. */
export interface QuotedResult extends Omit<FareQuoteResult, "token"> {
  readonly token: string;
}

const fullService: readonly QuotedResult[] = oneway.data.result;
const lcc: readonly QuotedResult[] = lowCost.data.result;

/** Fare quote results by the name of their search (§2.4). The document shows only the ordinary ones. */
export const quoteSamples = tableOf<readonly QuotedResult[]>()({
  "domestic-oneway-full-service": fullService,
  "domestic-oneway-lcc": lcc,
  "domestic-roundtrip-one-token": oneToken.data.result,
  "domestic-roundtrip-two-results": twoResults.data.result,
  "empty-result": [],
  "gst-and-hold-mandatory": repriced(lcc, 4_100, 900, {
    coupon_applicable: false,
    pan_required_at_ticket: true,
    hold_mandatory_with_ssr: true,
    gst_mandatory: true,
    fare_type: "CorporateFare",
  }),
  "higher-than-search": repriced(fullService, 6_900, 1_350, {}),
  "international-roundtrip-family": family.data.result,
  "long-decimals": repriced(fullService, 103.86886768984, 20.65546239488, { mini_fare_rules: [] }, "USD"),
  "senior-fare": repriced(fullService, 5_000, 1_100, { fare_type: "SeniorCitizenFare" }),
});

/** The name of an itinerary that can be searched for. */
export type SearchName = keyof typeof quoteSamples;

/** The same by the name of the sample. */
export const quotesByName = Object.fromEntries(
  Object.entries(quoteSamples).map(([name, results]) => [`success-${name}`, results]),
) as Readonly<Record<`success-${SearchName}`, readonly QuotedResult[]>>;

/** Returns quotes for one adult with another fare and other fields. */
function repriced(
  quotes: readonly QuotedResult[],
  basefare: number,
  tax_and_surcharges: number,
  changes: Partial<QuotedResult>,
  currency = "INR",
): readonly QuotedResult[] {
  return quotes.map((quoted) => ({
    ...quoted,
    last_ticket_date: "0001-01-01 00:00:00",
    fare: { currency, basefare, tax_and_surcharges, total_fare: basefare + tax_and_surcharges },
    fare_breakdown: quoted.fare_breakdown.map((entry) => ({ ...entry, basefare })),
    ...changes,
  }));
}
