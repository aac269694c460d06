import { OfferUnavailableError } from "../../errors/api.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { stringOf, trimmedScalar } from "../../shared/json.ts";
import type { WithResponse } from "../../transport/call.ts";
import { compareFlights } from "../changes/index.ts";
import { summarizeTerms } from "../changes/summary.ts";
import { compareOffers } from "../changes/terms.ts";
import { OfferChangedError, PriceAboveLimitError } from "../errors.ts";
import { compareMoney, type Money, readMoney } from "../quote/money.ts";
import { normalizeSegments } from "../quote/normalize.ts";
import { priceOf } from "../quote/price.ts";
import type { FareQuote, FareQuoteResult } from "../types/index.ts";

/** Refuses a response without offers (docs/assumptions.md, A4). */
export function refuseEmpty({ data, response, attempts, clientReferenceId }: WithResponse<FareQuote>): FareQuote {
  if (data.data.result.length > 0) return data;
  throw new OfferUnavailableError("offer_unavailable", {
    message: "The quote has no offers: nothing is left of this flight. Search again.",
    operation: "flights.fareQuote",
    clientReferenceId,
    attempts,
    httpStatus: response.status,
    statusCode: trimmedScalar(data.status_code) || undefined,
    serviceMessage: stringOf(data.message) || undefined,
    body: data,
    headers: response.headers,
  });
}

/** Returns one result of a quote. Its index may be left out if there is only one. */
export function pickResult(
  quote: FareQuote,
  index: number | undefined,
): { readonly offer: FareQuoteResult; readonly index: number } {
  const { result } = quote.data;
  if (index === undefined && result.length > 1) {
    throw new ConfigurationError(
      `This quote has ${result.length} results: book them one at a time, and choose one with \`offerIndex\` (0 to ${result.length - 1}).`,
    );
  }
  const offer = result[index ?? 0];
  if (offer === undefined) {
    throw new ConfigurationError(`\`offerIndex\` must be an integer between 0 and ${result.length - 1}.`);
  }
  return { offer, index: index ?? 0 };
}

/** Refuses a fresh offer that is not what was shown, or costs more than it may: `maxTotal`, or else what was shown. */
export function checkFresh(
  shown: FareQuoteResult,
  fresh: FareQuote,
  result: number,
  maxTotal: Money | undefined,
): void {
  const offer = fresh.data.result[result];
  const before = normalizeSegments(shown.segments);
  const after = normalizeSegments(offer?.segments);
  const flights = offer === undefined ? [] : compareFlights(before, after);
  const terms = offer === undefined ? [] : compareOffers(shown, offer);
  if (offer === undefined || flights.length > 0 || terms.length > 0) {
    const what = flights.length > 0 || terms.length === 0 ? ["It has other flights or times."] : [];
    throw new OfferChangedError({
      message: [
        "A fresh quote differs from the one that was shown.",
        ...what,
        ...summarizeTerms(terms, before).slice(0, 3),
        "Nothing was booked: show the new quote and ask again.",
      ].join(" "),
      operation: "flights.fareQuote",
      flights,
      terms,
      offerIndex: result,
      quote: fresh,
    });
  }
  const limit = maxTotal ?? priceOf(shown);
  if (limit === null) {
    throw new ConfigurationError(
      "The price of the quote that was shown cannot be read: set `maxTotal` to the maximum price.",
    );
  }
  checkPrice(offer, fresh, result, limit);
}

/** Refuses an offer that costs more than it may, or whose price cannot be compared. */
export function checkPrice(offer: FareQuoteResult, quote: FareQuote, result: number, limit: Money): void {
  const total = priceOf(offer);
  const order = total === null ? null : compareMoney(total, limit);
  if (order !== null && order <= 0) return;
  throw new PriceAboveLimitError({
    message: `${complaintOn(total, limit)} Nothing was booked${order === null ? "." : ": show the new price and ask again."}`,
    operation: "flights.fareQuote",
    total: order === null ? null : total,
    limit,
    offerIndex: result,
    quote,
  });
}

function complaintOn(total: Money | null, limit: Money): string {
  const allowed = `the limit of ${limit.currency} ${limit.amount}`;
  if (total === null) return `The price of the offer cannot be read, and so not compared with ${allowed}.`;
  const costs = `The offer costs ${total.currency} ${total.amount}`;
  if (total.currency === limit.currency) return `${costs}, above ${allowed}.`;
  return `${costs}, which cannot be compared with ${allowed}: name a limit in ${total.currency}.`;
}

/** Returns the limit as exact money, checked before any request. */
export function readLimit(maxTotal: unknown): Money | undefined {
  if (maxTotal === undefined) return undefined;
  const given = Object(maxTotal);
  const limit = Array.isArray(given) ? null : readMoney(given.amount, given.currency);
  if (limit !== null && !limit.amount.startsWith("-")) return limit;
  throw new ConfigurationError(
    '`maxTotal` must be a decimal amount of at least 0 with its currency, such as { amount: "7600.00", currency: "INR" }.',
  );
}
