import type { SearchName } from "./catalogue/quotes.ts";
import type { ScenarioName } from "./catalogue/scenario-names.ts";
import type { Delivery, DeliveryAttempt, FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";
import type { EmulatorServer, ListenOptions } from "./http/types.ts";
import type { ScenarioOptions, ScriptFor, ScriptOptions, ScriptTarget } from "./scripts/types.ts";
import type { ReceivedRequest } from "./service/received-request.ts";
import type { EmulatorClock } from "./state/clock.ts";
import type { ActiveScenario, EmulatedBooking, SeededSearch } from "./state/types.ts";

/** The service of the interface document, in memory. Created by {@link createEmulator}. */
export interface Emulator {
  /**
   * Responds as the service would, without a network: pass it to the client as `fetch`. A redirect is never followed.
   */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the same over HTTP, in Node, Deno and Bun.
   *
   * @throws {ConfigurationError} for an unknown option or an invalid value, and on a runtime without `node:http`.
   */
  listen(options?: ListenOptions): Promise<EmulatorServer>;
  /** The requests received, oldest first: the last 10,000, and of these the last 32 MiB. */
  readonly requests: readonly ReceivedRequest[];
  /**
   * The bookings made, oldest first, including those whose response did not reach the caller: the last 10,000, and of
   * these the last 32 MiB.
   */
  readonly bookings: readonly EmulatedBooking[];
  /**
   * Returns the result of a flight search, as `fareQuote` and `fareRule` take it.
   *
   * @param name - The itinerary. @default "domestic-oneway-full-service"
   */
  seedSearch(name?: SearchName): SeededSearch;
  /**
   * Makes the requests that follow meet a scenario: a fault (`reset`, `slow:500`, `html-502`, …) or a sample of the
   * operation (`failed-partial`, `success-inconsistent`, …). docs/emulator.md lists them. The header
   * `X-Emulator-Scenario` does the same for one request.
   *
   * A request meets one scenario or script: the oldest that has `times` and fits, else the latest that has none.
   *
   * @param scenario - Its name, with an amount for some: `slow:500`.
   * @param options - See {@link ScenarioOptions}.
   * @returns The scenario, which can be withdrawn.
   * @throws {ConfigurationError} for a name that the operation does not know, an unknown option or an invalid value.
   *
   * @example
   * ```ts
   * import { createEmulator } from "serviceapi/emulator";
   *
   * const emulator = createEmulator();
   * const outage = emulator.use("unavailable", { operation: "flights.book" });
   * outage.withdraw(); // or declare it with `using`
   * ```
   */
  use(scenario: ScenarioName, options?: ScenarioOptions): ActiveScenario;
  /** The scenarios and scripts that further requests can meet, oldest first. */
  readonly active: readonly ActiveScenario[];
  /**
   * Sets the response to the requests of an operation that follow. The body may be a part of one: the rest is what the
   * emulator would respond. For an AI operation, the text is enough.
   *
   * A request meets one scenario or script: the oldest that has `times` and fits, else the latest that has none. A
   * request that the service would refuse for its credentials or its body meets no script.
   *
   * @param operation - `flights.book`, …, or an operation, your own included: the emulator then knows its path.
   * @param response - The response, or a function of the params that returns it; see {@link Script}.
   * @param options - See {@link ScriptOptions}.
   * @returns The script, which can be withdrawn.
   * @throws {ConfigurationError} for an unknown operation, a body that breaks the operation's schema, an unknown option
   *   or an invalid value.
   *
   * @example
   * ```ts
   * import { createEmulator, refusal } from "serviceapi/emulator";
   *
   * const emulator = createEmulator();
   * emulator.script("verification.findVpas", { name: "ASHA EXAMPLE", vpaList: ["asha@examplebank"] });
   * emulator.script("flights.fareQuote", { data: { result: [{ fare: { total_fare: 12_345 } }] } }, { times: 1 });
   * emulator.script("flights.book", refusal("insufficient_balance"));
   * emulator.script("ai.stream", ["Take the ", "early train."]);
   * emulator.script("ai.createResponse", ({ user }) => `You asked: ${user.text}`);
   * ```
   */
  script<Target extends ScriptTarget>(
    operation: Target,
    response: ScriptFor<Target>,
    options?: ScriptOptions,
  ): ActiveScenario;
  /**
   * The scripts and scenarios that no request met, or fewer than `times`, oldest first, without those that were
   * withdrawn. A test that expects all of them to be used ends with `expect(emulator.unused).toEqual([])`.
   */
  readonly unused: readonly ActiveScenario[];
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
  /**
   * The delivery history (§6.4), oldest first: the last 10,000, and of these the last 32 MiB. A delivery that is
   * forgotten is not retried.
   */
  readonly deliveries: readonly Delivery[];
  /** Forgets everything but the options, the time and the target of webhooks. */
  reset(): void;
  /** The emulator's time. */
  readonly clock: EmulatorClock;
}
