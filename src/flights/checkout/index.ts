import { type Client, internalsOf } from "../../client.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { parseJson } from "../../shared/json.ts";
import { nonEmptyString, readOptions } from "../../shared/options.ts";
import { readRow } from "../journal/journal.ts";
import { Checkout } from "./checkout.ts";
import { readCheckoutOptions } from "./options.ts";
import type { CheckoutOptions, CheckoutParams, SavedCheckout } from "./types.ts";

/**
 * Creates a checkout, which takes one flight of a search result to a PNR. It books what the user saw, or throws an
 * error that says what differs. As far as its journal reaches, nothing is booked twice and nothing that may be booked
 * is forgotten.
 *
 * Its steps may run in several processes: `JSON.stringify(trip)` on the quote page, {@link resumeCheckout} on the
 * payment page.
 *
 * @param client - The client, such as a `ServiceApi`.
 * @param params - `trace_id` and `token` of the search result.
 * @param options - See {@link CheckoutOptions}.
 * @throws {@link ConfigurationError} for an unknown option or param, an invalid value, or something else than a client.
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
export function checkout(client: Client, params: CheckoutParams, options: CheckoutOptions = {}): Checkout {
  const { trace_id: traceId, token } = readOptions<CheckoutParams>("checkout", params, paramRules, [
    "trace_id",
    "token",
  ]);
  return make(
    client,
    { version: 1, traceId, token, startedAt: null, shown: null, journaled: false, attempts: [] },
    options,
  );
}

/**
 * Resumes a checkout that was saved with `JSON.stringify(trip)`, in this process or another.
 *
 * @param client - The client, such as a `ServiceApi`.
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
export function resumeCheckout(client: Client, saved: unknown, options: CheckoutOptions = {}): Checkout {
  return make(client, readSaved(saved), options);
}

const paramRules = { trace_id: nonEmptyString, token: nonEmptyString };

function make(client: Client, saved: SavedCheckout, options: CheckoutOptions): Checkout {
  internalsOf(client, "checkout");
  return new Checkout(client, saved, readCheckoutOptions(options));
}

import * as z from "zod/mini";

/** The parts of a quote that a checkout needs; the rest may have drifted (docs/assumptions.md, A4). */
const results = z.array(z.looseObject({ token: z.string() })).check(z.minLength(1));
const quote = z.looseObject({ data: z.looseObject({ result: results }) });

const savedSchema = z.object({
  version: z.literal(1),
  traceId: z.string(),
  token: z.string(),
  startedAt: z.nullable(z.number()),
  shown: z.nullable(z.object({ body: quote, at: z.number() })),
  journaled: z.boolean(),
  attempts: z.array(z.unknown()),
});

/** Reads the result of `JSON.stringify(trip)`, as a string or parsed. */
export function readSaved(saved: unknown): SavedCheckout {
  const value = typeof saved === "string" ? parseJson(saved) : saved;
  const attempts = isSaved(value) ? value.attempts.map(readRow) : [];
  if (!isSaved(value) || attempts.includes(undefined)) {
    throw new ConfigurationError(
      "This is not a saved checkout: pass what JSON.stringify(trip) returned, as a string or parsed.",
    );
  }
  return { ...value, attempts: attempts.filter((row) => row !== undefined) };
}

function isSaved(value: unknown): value is SavedCheckout {
  return savedSchema.safeParse(value).success;
}
