import type { RequestOptions } from "../options.ts";
import type { ApiCall } from "../transport/call.ts";
import type { Transport } from "../transport/transport.ts";
import { book, fareQuote, fareRule } from "./operations.ts";
import type { Booking, BookParams, FareQuote, FareQuoteParams, FareRule, FareRuleParams } from "./types/index.ts";

/**
 * The three flight operations of the document, in the order of a sale: quote, rule, book (§1).
 *
 * `checkout` of `serviceapi/flights` is built on them: passenger checks, a price limit, fees, a journal of bookings.
 */
export class Flights {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Asks for the price and the conditions of a flight of a search result (§4.4). Repeated by itself where the service could not answer.
   *
   * @param params - `trace_id` of the search and `token` of the flight in it.
   * @param options - Options of this call.
   * @returns The offers; an empty `data.result` means that nothing is left.
   * @throws {@link SessionExpiredError} when the trace or the token is too old: search again.
   * @throws {@link OfferUnavailableError} when the flight is no longer for sale.
   * @throws {@link ResponseValidationError} when an offer comes without its token.
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
    return this.#transport.send(fareQuote, params, options);
  }

  /**
   * Asks for the rules of a fare in the words of the airline (§4.5). Repeated by itself where the service could not answer.
   *
   * @param params - `trace_id` of the search and `token` of the flight in it.
   * @param options - Options of this call.
   * @returns The rules by direction; `fare_rules` is untrusted HTML, which `fareRuleText` of `serviceapi/flights/rule-text` makes readable.
   * @throws {@link TraceMismatchError} when the token belongs to another trace.
   * @throws {@link SessionExpiredError} when the trace or the token is too old: search again.
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
    return this.#transport.send(fareRule, params, options);
  }

  /**
   * Reserves seats (§4.3). It is sent once and never repeated. The ticket must be issued afterwards, before `last_ticket_date` (§3.4).
   *
   * An answer that names a booking (`pnr` or `booking_id`) is returned even when the rest of it is odd; `withResponse()` has the warnings.
   * A changed price or time and missing seats are flags on the result, not errors.
   *
   * @param params - The quoted `trace_id`, `token` of the fare quote result, and the passengers.
   * @param options - Options of this call; fields that the document does not show (passport, PAN) go into `extraBody`.
   * @returns The reservation.
   * @throws {@link RequestValidationError} when a passenger breaks a rule of §4.3; nothing was sent.
   * @throws {@link BookingOutcomeUnknownError} when it was sent and no usable answer came back: look it up, do not repeat it.
   * @throws {@link DuplicateRequestError} when the service says that this is booked already.
   * @throws {@link ApiError} when the service refused it: nothing is booked.
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
    return this.#transport.send(book, params, options);
  }

  /** @internal Milliseconds after which a booking with these options has ended, whatever the service does; `false` for never. */
  bookingTimeLimit(options?: RequestOptions): number | false {
    return this.#transport.timeLimit(book, options);
  }
}
