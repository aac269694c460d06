import { onTestFinished } from "vitest";
import type { ServiceApiError } from "../../../src/errors/base.ts";
import { type CheckoutOptions, checkout, memoryJournal } from "../../../src/flights/index.ts";
import type { FareQuote, Passenger } from "../../../src/flights/types/index.ts";
import type { ClientOptions } from "../../../src/options.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { gate } from "../../support/gate.ts";
import { samplePassengers, sampleQuote } from "../offers.ts";

/** The day for which the samples were written. */
export const day = Date.UTC(2026, 10, 20, 6);

const [adult] = samplePassengers("oneway-adult");
if (adult === undefined) throw new Error("the sample has no passenger");
export const passengers: readonly Passenger[] = [adult];
export const inr = (amount: string) => ({ amount, currency: "INR" });

/** The service, as far as a test needs it: the response of each operation, and the requests that it received. */
export interface Service {
  quote(): FareQuote | Promise<FareQuote>;
  book(body: Record<string, unknown>, signal: AbortSignal | undefined): unknown;
}

export interface Sent {
  readonly operation: string;
  readonly body: Record<string, unknown>;
}

/** A client of a service that responds as instructed: with a body, a `Response`, or a rejection. */
export function clientOf(service: Partial<Service> = {}, options: ClientOptions = {}) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const operation =
      String(input instanceof Request ? input.url : input)
        .split("/")
        .at(-1) ?? "";
    const body = JSON.parse(String(init?.body));
    sent.push({ operation, body });
    const answer =
      operation === "book"
        ? await (service.book ?? (() => booked("PNR001")))(body, init?.signal ?? undefined)
        : await (service.quote ?? quoteOf)();
    return answer instanceof Response ? answer : Response.json(echoing(body.trace_id, answer));
  };
  const settings = {
    baseUrl: "https://api.example.com",
    clientId: "a",
    clientSecret: "a-secret",
    maxRetries: 0,
    fetch,
  };
  const bookings = () => sent.filter(({ operation }) => operation === "book").map(({ body }) => body);
  return { api: new ServiceApi({ ...settings, ...options }), sent, bookings };
}

/** A trip that was quoted, by a client of a service that responds as instructed. */
export async function quotedTrip(
  service: Partial<Service> = {},
  { client, ...given }: Partial<CheckoutOptions> & { readonly client?: ClientOptions } = {},
) {
  const called = clientOf(service, client);
  const options = { journal: memoryJournal(), now: () => day, ...given };
  const trip = checkout(called.api, { trace_id: "T", token: "S" }, options);
  await trip.quote();
  return { ...called, ...options, trip };
}

/** A service responds under the trace of the request (§4.4). */
function echoing(trace_id: unknown, answer: unknown): unknown {
  const { data } = Object(answer);
  return data === undefined ? answer : { ...Object(answer), data: { ...data, trace_id } };
}

/** The sample quote, with changes to its first result. */
export function quoteOf(changes: object = {}): FareQuote {
  const quote = sampleQuote("domestic-oneway-full-service");
  return withOffers(quote, ...quote.data.result.map((one) => ({ ...one, ...changes })));
}

/** The sample quote at another price. */
export function quoteAt(total_fare: number): FareQuote {
  const [first] = quoteOf().data.result;
  return quoteOf({ fare: { ...first?.fare, total_fare } });
}

/** A quote, with its offers replaced by these. */
export function withOffers(quote: FareQuote, ...result: FareQuote["data"]["result"]): FareQuote {
  return { ...quote, data: { ...quote.data, result } };
}

/** A success of a booking with this result. */
export function confirmed(result: object, message = "Booking confirmed") {
  return { status: "SUCCESS", status_code: "200", message, data: { trace_id: "T", result } };
}

export function booked(pnr: string): unknown {
  return confirmed({ pnr }, "");
}

export function refused(message: string): unknown {
  return { status: "FAILED", status_code: "400", message };
}

/** A booking on its way, whose response is what `answer` is opened with; the trip was saved before it. */
export async function bookingInFlight({ journal = memoryJournal(), now = () => day }: Partial<CheckoutOptions> = {}) {
  const [out, answer] = [gate(), gate<unknown>()];
  const { api, bookings } = clientOf({ book: () => out.open() ?? answer.opened });
  const trip = checkout(api, { trace_id: "T", token: "S" }, { journal, now });
  await trip.quote();
  const saved = JSON.stringify(trip);
  const booking = trip.book({ passengers });
  onTestFinished(async () => {
    answer.open(refused("gone"));
    await booking.catch(() => {});
  });
  await out.opened;
  const [row] = await journal.pending();
  if (row === undefined) throw new Error("nothing is pending");
  return { api, bookings, journal, trip, saved, booking, answer, row };
}

/** Returns these values in turn, and `undefined` after the last. */
export function inTurn<T>(...values: readonly T[]): () => T {
  const left = [...values];
  return () => left.shift() as T;
}

export const fails = (promise: Promise<unknown>): Promise<ServiceApiError & Record<string, unknown>> =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => error,
  );

/** A promise that is not settled. */
export const silence = () => new Promise<never>(() => {});
