import { ConfigurationError } from "../../errors/request.ts";
import { nonEmptyString, objectWith, readOptions } from "../../shared/options.ts";
import { Checkout } from "./checkout.ts";
import { readCheckoutOptions } from "./options.ts";
import { readSaved } from "./saved.ts";
import type { CheckoutClient, CheckoutOptions, CheckoutParams, SavedCheckout } from "./types.ts";

/**
 * Creates a checkout, which takes one flight of a search result to a PNR. It books what the user saw, or throws an
 * error that says what differs. As far as its journal reaches, nothing is booked twice and nothing that may be booked
 * is forgotten.
 *
 * Its steps may run in several processes: `JSON.stringify(trip)` on the quote page, {@link resumeCheckout} on the
 * payment page.
 *
 * @param api - The client.
 * @param params - `trace_id` and `token` of the search result.
 * @param options - See {@link CheckoutOptions}.
 * @throws {@link ConfigurationError} for an unknown option or param, or an invalid value.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { checkout } from "serviceapi/flights";
 *
 * const trip = checkout(new ServiceApi(), { trace_id, token });
 * const quote = await trip.quote();
 * const issues = trip.validate(passengers);
 * if (!issues.some((issue) => issue.severity === "error")) {
 *   const booking = await trip.book({ passengers, maxTotal: { amount: "7600.00", currency: "INR" } });
 *   console.log(booking.pnr, booking.nextStep.message, booking.changes.changed);
 * }
 * ```
 */
export function checkout(api: CheckoutClient, params: CheckoutParams, options: CheckoutOptions = {}): Checkout {
  const { trace_id: traceId, token } = readOptions<CheckoutParams>("checkout", params, paramRules, [
    "trace_id",
    "token",
  ]);
  return make(
    api,
    { version: 1, traceId, token, startedAt: null, shown: null, journaled: false, attempts: [] },
    options,
  );
}

/**
 * Resumes a checkout that was saved with `JSON.stringify(trip)`, in this process or another.
 *
 * @param api - The client.
 * @param saved - The JSON, as a string or parsed.
 * @param options - The options of {@link checkout}, which are not saved.
 * @throws {@link ConfigurationError} if `saved` is not a saved checkout, or for an unknown option or an invalid value.
 *
 * @example
 * ```ts
 * import { resumeCheckout } from "serviceapi/flights";
 *
 * const trip = resumeCheckout(api, session.trip, { journal });
 * const booking = await trip.book({ passengers, maxTotal });
 * ```
 */
export function resumeCheckout(api: CheckoutClient, saved: unknown, options: CheckoutOptions = {}): Checkout {
  return make(api, readSaved(saved), options);
}

const paramRules = { trace_id: nonEmptyString, token: nonEmptyString };

function make(api: CheckoutClient, saved: SavedCheckout, options: CheckoutOptions): Checkout {
  const complaint = objectWith("fareQuote", "fareRule", "book")(Object(api).flights, "flights");
  if (complaint !== undefined) throw new ConfigurationError(`checkout: \`flights\` of the client ${complaint}.`);
  return new Checkout(api, saved, readCheckoutOptions(options));
}
