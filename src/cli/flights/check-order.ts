import { checkFresh, checkPrice, pickOffer } from "../../flights/checkout/book.ts";
import type { Checkout } from "../../flights/checkout/checkout.ts";
import { PassengerValidationError } from "../../flights/errors.ts";
import { priceOf } from "../../flights/quote/money.ts";
import type { FareQuote, FareQuoteResult } from "../../flights/types/index.ts";
import type { OutputFlags } from "../shared/options.ts";
import { printNote } from "../shared/print.ts";
import type { Order } from "./order.ts";
import { adviceToAccept, formatIssues, withoutSuggestions } from "./show/booking.ts";

/** Checks an order against the quote as `book` will, so that the preview of it is refused for the same reasons. */
export function checkOrder(
  trip: Checkout,
  quote: FareQuote,
  { request, extraBody }: Order,
  flags: OutputFlags,
): { readonly offer: FareQuoteResult; readonly result: number } {
  const { offer, index: result } = pickOffer(quote, request.offerIndex);
  const { passengers, acceptIssues, agreedQuote, maxTotal } = request;
  const found = trip.validate(passengers, { offerIndex: result, acceptIssues, extraBody });
  const issues = flags.showPii ? found : withoutSuggestions(found);
  if (issues.length > 0 && !flags.json) printNote(formatIssues(issues));
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const advice = adviceToAccept(errors);
    if (advice !== undefined && !flags.json) printNote(advice);
    throw new PassengerValidationError({
      message: `The passengers cannot be booked as they are: ${errors.length} of the checks failed. Nothing was booked.`,
      operation: "flights.book",
      issues: errors,
    });
  }
  if (agreedQuote !== undefined) checkFresh(pickOffer(agreedQuote, result).offer, quote, result, maxTotal);
  checkPrice(priceOf(offer), quote, result, maxTotal);
  return { offer, result };
}
