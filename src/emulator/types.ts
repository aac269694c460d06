import type { SearchName } from "./catalogue/quotes.ts";
import type { PayoutRequest } from "./deliveries/payout-event.ts";
import type { Delivery, DeliveryAttempt, FireOptions, WebhookSettings } from "./deliveries/types.ts";
import type { EmulatorServer, ListenOptions } from "./http/server.ts";
import type { ResponseFor, Rule, RuleOptions, RuleTarget } from "./rules/types.ts";
import type { EmulatorClock } from "./state/clock.ts";
import type { EmulatedBooking, ReceivedRequest, SeededSearch } from "./state/state.ts";

/** The service of the interface document, in memory. Created by {@link createEmulator}. */
export interface Emulator {
  /** Responds as the service would, without a network: the `fetch` of a client. A redirect is never followed. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the same over HTTP, in Node, Deno and Bun.
   *
   * @throws {ConfigurationError} for an unknown option or an invalid value, and on a runtime without `node:http`.
   */
  listen(options?: ListenOptions): Promise<EmulatorServer>;
  /** The requests received, oldest first: the last 10,000, and of these the last 32 MiB. */
  readonly requests: readonly ReceivedRequest[];
  /** The bookings made, oldest first, whether their response arrived or not: the last 10,000, up to 32 MiB. */
  readonly bookings: readonly EmulatedBooking[];
  /**
   * Returns the result of a flight search, as `fareQuote` and `fareRule` take it.
   *
   * @param name - The itinerary. @default "domestic-oneway-full-service"
   */
  seedSearch(name?: SearchName): SeededSearch;
  /**
   * Adds a rule, which responds to the requests for an operation that follow. The response is a body, of which a part is
   * enough: the rest is what the emulator would respond. Or it is a name: a fault (`reset-after`, `slow:500`,
   * `html-502`, …), the kind of error that a refusal causes (`insufficient_balance`, …) or a sample of the operation.
   * docs/emulator.md lists them. The header `X-Emulator-Response` takes a name for one request.
   *
   * A request meets the oldest rule that has `times` and fits, else the latest that has none. To a fault of the response,
   * such as `slow`, the latest rule without `times` that responds is added, and to a response such a fault. A request
   * whose credentials the service would refuse meets no rule; one whose body it would refuse, no body and no function.
   *
   * @param operation - `flights.book`, …, `*` for all, or an operation of your own: the emulator then knows its path.
   * @param response - The response, or a function of the params that returns it.
   * @param options - See {@link RuleOptions}.
   * @returns The rule, which can be withdrawn.
   * @throws {ConfigurationError} for an unknown operation or name, a body that breaks the operation's schema, an unknown
   *   option or an invalid value.
   *
   * @example
   * ```ts
   * import { createEmulator, refusal } from "serviceapi/emulator";
   *
   * const emulator = createEmulator();
   * emulator.on("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
   * emulator.on("flights.fareQuote", { data: { result: [{ fare: { total_fare: 12_345 } }] } }, { times: 1 });
   * emulator.on("flights.book", refusal(206, { message: "Partial booking is successful." }));
   * emulator.on("ai.stream", ["Take the ", "early train."]);
   * emulator.on("ai.createResponse", ({ user }) => ({ text: `You asked: ${user.text}` }));
   *
   * const outage = emulator.on("*", "unavailable");
   * outage.withdraw(); // or declare it with `using`
   * ```
   */
  on<Target extends RuleTarget>(operation: Target, response: ResponseFor<Target>, options?: RuleOptions): Rule;
  /** The rules that further requests can meet, oldest first. */
  readonly active: readonly Rule[];
  /**
   * The rules that no request met, or fewer than `times`, oldest first, without those that were withdrawn. A test that
   * expects all of them to be used ends with `expect(emulator.unused).toEqual([])`.
   */
  readonly unused: readonly Rule[];
  /**
   * Sets the target of webhooks: a URL, or a handler in this process.
   *
   * @throws {ConfigurationError} for an unknown setting or an invalid value.
   */
  deliverTo(target: NonNullable<WebhookSettings["to"]>, settings?: Omit<WebhookSettings, "to">): void;
  /**
   * Completes a payout: delivers its notification (§6.2), and retries it up to three times on the emulator's clock
   * until it is acknowledged (§6.4). Resolves after the first attempt.
   *
   * @returns The row of the history, which further attempts update.
   * @throws {ConfigurationError} if no target is set, and for an unknown field or an invalid value.
   */
  payout(payout?: PayoutRequest): Promise<Delivery>;
  /** Makes the test fire of §6.5.4: sends one notification once and returns the attempt. */
  fire(
    event?: PayoutRequest["outcome"] | Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<DeliveryAttempt>;
  /** The delivery history (§6.4), oldest first: the last 10,000, up to 32 MiB. Forgotten ones are not retried. */
  readonly deliveries: readonly Delivery[];
  /** Forgets everything but the options, the time and the target of webhooks. */
  reset(): void;
  /** The emulator's time. */
  readonly clock: EmulatorClock;
}
