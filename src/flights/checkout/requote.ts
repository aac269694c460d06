import { OfferUnavailableError } from "../../errors/api.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { WithResponse } from "../../transport/call.ts";
import { compareFlights } from "../changes.ts";
import { OfferChangedError, PriceAboveLimitError } from "../errors.ts";
import { compareMoney, type Money, readMoney } from "../money.ts";
import type { FareQuote, FareQuoteResult } from "../types.ts";

/** Turns an empty answer into the error that it means (policy 13). */
export function refuseEmpty({ data, response, attempts, clientReferenceId }: WithResponse<FareQuote>): FareQuote {
  if (data.data.result.length > 0) return data;
  throw new OfferUnavailableError("offer_unavailable", {
    message: "The quote came back empty: nothing is left of this flight. Search again.",
    operation: "flights.fareQuote",
    clientReferenceId,
    attempts,
    httpStatus: response.status,
    statusCode: String(data.status_code),
    serviceMessage: data.message,
    body: data,
    headers: response.headers,
  });
}

/** The result that is meant, which must be said where there are several. */
export function pickResult(
  quote: FareQuote,
  index: number | undefined,
): { readonly offer: FareQuoteResult; readonly index: number } {
  const { result } = quote.data;
  if (index === undefined && result.length > 1) {
    throw new ConfigurationError(
      `This quote has ${result.length} results, each with a booking of its own: say which with \`result\` (0 to ${result.length - 1}).`,
    );
  }
  const offer = result[index ?? 0];
  if (offer === undefined) {
    throw new ConfigurationError(`\`result\` must be a whole number from 0 to ${result.length - 1}.`);
  }
  return { offer, index: index ?? 0 };
}

/** Refuses a fresh offer that is not what was shown, or costs more than it may. */
export function checkFresh(
  shown: FareQuoteResult,
  fresh: FareQuote,
  result: number,
  maxTotal: Money | undefined,
): void {
  const offer = fresh.data.result[result];
  const flights = offer === undefined ? [] : compareFlights(shown.segments, offer.segments);
  if (offer === undefined || fresh.data.result.length === 0 || flights.length > 0) {
    throw new OfferChangedError({
      message:
        "A fresh quote has other flights or times than those that were shown. Nothing was booked: show it and ask again.",
      operation: "flights.fareQuote",
      flights,
      result,
      quote: fresh,
    });
  }
  checkPrice(offer, fresh, result, maxTotal ?? totalOf(shown));
}

/** Refuses an offer that costs more than it may, or whose price cannot be read. */
export function checkPrice(offer: FareQuoteResult, quote: FareQuote, result: number, limit: Money | null): void {
  const total = totalOf(offer);
  const wanted = limit === null ? null : readMoney(limit.amount, limit.currency);
  if (wanted === null) {
    throw new ConfigurationError(
      '`maxTotal` must be a decimal amount with its currency, such as { amount: "7600.00", currency: "INR" }.',
    );
  }
  const order = total === null ? null : compareMoney(total, wanted);
  if (order !== null && order <= 0) return;
  throw new PriceAboveLimitError({
    message:
      order === null
        ? `The price of the quote cannot be compared with the limit of ${wanted.currency} ${wanted.amount}. Nothing was booked.`
        : `The offer costs ${total?.currency} ${total?.amount}, above the limit of ${wanted.currency} ${wanted.amount}. Nothing was booked: show the new price and ask again.`,
    operation: "flights.fareQuote",
    total: order === null ? null : total,
    limit: wanted,
    result,
    quote,
  });
}

function totalOf(offer: FareQuoteResult): Money | null {
  return readMoney(offer.fare.total_fare, offer.fare.currency);
}
