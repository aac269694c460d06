import type { FareRuleResult } from "../../flights/types/index.ts";
import bookFailedAuth from "../samples/flight/book/failed-auth.json" with { type: "json" };
import bookFailedGstRequired from "../samples/flight/book/failed-gst-required.json" with { type: "json" };
import bookFailedInProgress from "../samples/flight/book/failed-in-progress.json" with { type: "json" };
import bookFailedInsufficientBalance from "../samples/flight/book/failed-insufficient-balance.json" with {
  type: "json",
};
import bookFailedInvalidPassenger from "../samples/flight/book/failed-invalid-passenger.json" with { type: "json" };
import bookFailedPartial from "../samples/flight/book/failed-partial.json" with { type: "json" };
import bookFailedPriceChangedBeforeBook from "../samples/flight/book/failed-price-changed-before-book.json" with {
  type: "json",
};
import bookFailedQuoteTokenReused from "../samples/flight/book/failed-quote-token-reused.json" with { type: "json" };
import bookFailedSessionExpired from "../samples/flight/book/failed-session-expired.json" with { type: "json" };
import quoteFailedAuth from "../samples/flight/fare_quote/failed-auth.json" with { type: "json" };
import quoteFailedExpiredToken from "../samples/flight/fare_quote/failed-expired-token.json" with { type: "json" };
import quoteFailedFlightUnavailable from "../samples/flight/fare_quote/failed-flight-unavailable.json" with {
  type: "json",
};
import quoteFailedInvalidToken from "../samples/flight/fare_quote/failed-invalid-token.json" with { type: "json" };
import quoteFailedIp from "../samples/flight/fare_quote/failed-ip.json" with { type: "json" };
import quoteFailedTemporary from "../samples/flight/fare_quote/failed-temporary.json" with { type: "json" };
import quoteFailedTraceMismatch from "../samples/flight/fare_quote/failed-trace-mismatch.json" with { type: "json" };
import quoteFailedWithDataNull from "../samples/flight/fare_quote/failed-with-data-null.json" with { type: "json" };
import ruleFailedExpired from "../samples/flight/fare_rule/failed-expired.json" with { type: "json" };
import ruleFailedTraceMismatch from "../samples/flight/fare_rule/failed-trace-mismatch.json" with { type: "json" };
import ruleFailedUnavailable from "../samples/flight/fare_rule/failed-unavailable.json" with { type: "json" };
import ruleSuccessEmptyText from "../samples/flight/fare_rule/success-empty-text.json" with { type: "json" };
import ruleSuccessHostileHtml from "../samples/flight/fare_rule/success-hostile-html.json" with { type: "json" };
import ruleSuccessHtmlLong from "../samples/flight/fare_rule/success-html-long.json" with { type: "json" };
import ruleSuccessRoundtrip from "../samples/flight/fare_rule/success-roundtrip.json" with { type: "json" };
import { catalogue } from "./sample.ts";
import type { BookFailureName, QuoteFailureName, RuleFailureName, RuleSampleName } from "./scenario-names.ts";

/**
 * Returns a condition in the words of §7.2, with a general status and code: the document shows neither, so a client has
 * to recognize the condition by its message.
 */
const inWords = (message: string) => [200, { status: "FAILED", status_code: "400", message }] as const;

/** Refusals of the fare quote by name. The document names the conditions but shows no body (§7.2). */
export const quoteFailures = catalogue<QuoteFailureName>({
  "failed-400-expired-token": inWords("Expired token"),
  "failed-400-flight-unavailable": inWords("Flight no longer available"),
  "failed-400-invalid-token": inWords("Invalid token"),
  "failed-400-malformed-token": inWords("Malformed token"),
  "failed-400-temporary": inWords("Temporary system error"),
  "failed-auth": [401, quoteFailedAuth],
  "failed-expired-token": [200, quoteFailedExpiredToken],
  "failed-flight-unavailable": [200, quoteFailedFlightUnavailable],
  "failed-invalid-token": [200, quoteFailedInvalidToken],
  "failed-ip": [403, quoteFailedIp],
  "failed-temporary": [500, quoteFailedTemporary],
  "failed-trace-mismatch": [200, quoteFailedTraceMismatch],
  "failed-with-data-null": [422, quoteFailedWithDataNull],
});

/** Fare rules by name (§2.7). */
export const ruleResults: Readonly<Record<RuleSampleName, readonly FareRuleResult[]>> = {
  "success-empty-text": ruleSuccessEmptyText.data.result,
  "success-hostile-html": ruleSuccessHostileHtml.data.result,
  "success-html-long": ruleSuccessHtmlLong.data.result,
  "success-roundtrip": ruleSuccessRoundtrip.data.result,
};

/** Refusals of the fare rule by name (§7.2). */
export const ruleFailures = catalogue<RuleFailureName>({
  "failed-400-auth": inWords("Authentication failure"),
  "failed-400-expired-token": inWords("Invalid or expired token"),
  "failed-400-trace-mismatch": inWords("trace_id does not match"),
  "failed-400-unavailable": inWords("Service unavailable"),
  "failed-expired": [200, ruleFailedExpired],
  "failed-trace-mismatch": [200, ruleFailedTraceMismatch],
  "failed-unavailable": [503, ruleFailedUnavailable],
});

/** Refusals of the booking by name. The document shows none. */
export const bookFailures = catalogue<BookFailureName>({
  "failed-auth": [401, bookFailedAuth],
  "failed-gst-required": [422, bookFailedGstRequired],
  "failed-in-progress": [200, bookFailedInProgress],
  "failed-insufficient-balance": [200, bookFailedInsufficientBalance],
  "failed-invalid-passenger": [200, bookFailedInvalidPassenger],
  "failed-partial": [200, bookFailedPartial],
  "failed-price-changed-before-book": [200, bookFailedPriceChangedBeforeBook],
  "failed-quote-token-reused": [200, bookFailedQuoteTokenReused],
  "failed-session-expired": [200, bookFailedSessionExpired],
});
