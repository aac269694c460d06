import { type Client, transportOf } from "../client.ts";
import type { RequestOptions } from "../options.ts";
import type { ApiCall } from "../transport/call.ts";
import { book, fareQuote, fareRule } from "./operations.ts";
import type { Booking, BookParams, FareQuote, FareQuoteParams, FareRule, FareRuleParams } from "./types/index.ts";

/**
 * The three flight operations, in the order of a sale: quote, rule, book (§1).
 *
 * `checkout` of `serviceapi/flights` builds on them: passenger checks, a price limit, fees, a journal of bookings.
 */
export class Flights {
  readonly #client: Client;

  /**
   * @param client - The client that sends the requests.
   * @throws {@link ConfigurationError} if it is not a client.
   */
  constructor(client: Client) {
    transportOf(client, "new Flights()");
    this.#client = client;
  }

  /**
   * Requests the price and the conditions of a flight from a search result (§4.4). Retried automatically when the
   * service is unavailable.
   *
   * @param params - `trace_id` of the search and `token` of the flight in it.
   * @param options - Options of this call.
   * @returns The offers. An empty `data.result` means that nothing is left.
   * @throws {@link SessionExpiredError} if the trace or the token is too old: search again.
   * @throws {@link OfferUnavailableError} if the flight is no longer for sale.
   * @throws {@link ResponseValidationError} if an offer has no token.
   *
   * @example
   * ```ts
   * import { ServiceApi } from "serviceapi";
   *
   * const api = new ServiceApi();
   * const quote = await api.flights.fareQuote({ trace_id, token });
   * for (const offer of quote.data.result) {
   *   console.log(offer.source, offer.fare.currency, offer.fare.total_fare);
   * }
   * ```
   */
  fareQuote(params: FareQuoteParams, options?: RequestOptions): ApiCall<FareQuote> {
    return this.#client.send(fareQuote, params, options);
  }

  /**
   * Requests the fare rules as the airline words them (§4.5). Retried automatically when the service is unavailable.
   *
   * @param params - `trace_id` of the search and `token` of the flight in it.
   * @param options - Options of this call.
   * @returns The rules by direction. `fare_rules` is untrusted HTML; `fareRuleText` of `serviceapi/flights/rule-text`
   * turns it into text.
   * @throws {@link TraceMismatchError} if the token belongs to another trace.
   * @throws {@link SessionExpiredError} if the trace or the token is too old: search again.
   *
   * @example
   * ```ts
   * import { ServiceApi } from "serviceapi";
   * import { fareRuleText } from "serviceapi/flights/rule-text";
   *
   * const api = new ServiceApi();
   * const rules = await api.flights.fareRule({ trace_id, token });
   * for (const rule of rules.data.result) console.log(fareRuleText(rule.fare_rules));
   * ```
   */
  fareRule(params: FareRuleParams, options?: RequestOptions): ApiCall<FareRule> {
    return this.#client.send(fareRule, params, options);
  }

  /**
   * Reserves seats (§4.3). The request is sent once and never retried. Have the ticket issued before `last_ticket_date`
   * (§3.4).
   *
   * A response that names a booking (`pnr` or `booking_id`) is returned even if the rest of it is odd; `withResponse()`
   * has the warnings. A changed price or time and missing seats are flags on the result, not errors.
   *
   * @param params - The quoted `trace_id`, `token` of the fare quote result, and the passengers.
   * @param options - Options of this call. Undocumented fields (passport, PAN) go into `extraBody`.
   * @returns The reservation.
   * @throws {@link RequestValidationError} if a passenger breaks a rule of §4.3. Nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} if the request was sent and no response proves its outcome: look the
   * booking up, do not retry.
   * @throws {@link DuplicateRequestError} if the service says that this is already booked.
   * @throws {@link ApiError} if the service refused it: nothing is booked.
   *
   * @example
   * ```ts
   * import { BookingOutcomeUnknownError, ServiceApi } from "serviceapi";
   *
   * const api = new ServiceApi();
   * try {
   *   const booking = await api.flights.book({ trace_id, token: offer.token, passengers });
   *   console.log(booking.data.result.pnr, booking.data.result.last_ticket_date);
   * } catch (error) {
   *   if (!BookingOutcomeUnknownError.isInstance(error)) throw error;
   *   console.log("Look for", error.clientReferenceId, error.traceId);
   * }
   * ```
   */
  book(params: BookParams, options?: RequestOptions): ApiCall<Booking> {
    return this.#client.send(book, params, options);
  }
}
