import type { AreaName } from "../area.ts";
import type { SearchToken } from "../flights/types/index.ts";
import type { AsyncDisposableIfKnown } from "../shared/compiler-types.ts";
import type { FramingName } from "./ai/framing.ts";
import type { SearchName } from "./catalogue/quotes.ts";
import type { OperationName, ScenarioName } from "./catalogue/scenario-names.ts";
import type { Delivery, DeliveryAttempt, FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";
import type { ScriptFor, ScriptOptions, ScriptTarget, UnusedScript } from "./scripts/types.ts";
import type { ReceivedRequest } from "./service/received-request.ts";
import type { EmulatorClock } from "./state/clock.ts";

export type { ReceivedRequest } from "./service/received-request.ts";

/** Options of {@link createEmulator}. Every one has a default. */
export interface EmulatorOptions {
  /**
   * The start of the emulator's clock, which then stands still until it is moved: two runs send the same bytes. Without
   * it the clock follows real time.
   */
  readonly now?: Date | number | string | undefined;
  /** Milliseconds between two events of a stream, in real time. @default 15 */
  readonly pace?: number | undefined;
  /** The framing of streams, which the document does not show (§6.1). @default "sse" */
  readonly framing?: FramingName | undefined;
  /**
   * Refuses a `trace_id` or token that the emulator never issued. `false` accepts it as one of the default search.
   *
   * @default true
   */
  readonly strict?: boolean | undefined;
  /**
   * Milliseconds after which a flight search can no longer be quoted or booked, on the emulator's clock.
   *
   * @default 900_000 (15 min)
   */
  readonly sessionLifetime?: number | undefined;
  /**
   * The HTTP status of a refusal by the service: the status code of its body (`"asCode"`), or 200. The document does
   * not show it (§7). Faults of a gateway, such as `html-502`, keep their own status.
   *
   * @default the status code of the body; for a sample that is requested by name, the status that belongs to it
   */
  readonly failureStatus?: "asCode" | 200 | undefined;
  /** Milliseconds of the header `Retry-After`, which the emulator rounds up to whole seconds. @default 2_000 */
  readonly retryAfter?: number | undefined;
  /**
   * The path in front of an area's operations, as in the client.
   *
   * @default `{ verification: "", ai: "api/serviceapi-prod/api", flights: "" }`
   */
  readonly pathPrefixes?: Partial<Record<AreaName, string | undefined>> | undefined;
  /** A scenario for every request; see {@link Emulator.use}. @default none */
  readonly scenario?: ScenarioName | undefined;
  /** The target of webhooks, their signature and their retries. @default none */
  readonly webhook?: WebhookSettings | undefined;
  /**
   * Called for every request, whether it got a response or was dropped, so that you can log it: names and times, no
   * body. An exception thrown by it is ignored.
   */
  readonly onRequest?: ((line: RequestLine) => unknown) | undefined;
}

/** One line of a log. */
export interface RequestLine {
  /** The HTTP method. */
  readonly method: string;
  /** The operation, such as `flights.book`; the path if it belongs to no operation. */
  readonly operation: string;
  /** The HTTP status; `undefined` if the connection was dropped. */
  readonly status: number | undefined;
  /** Milliseconds of real time until the response began. */
  readonly duration: number;
}

/** Options of {@link Emulator.use}. */
export interface ScenarioOptions {
  /**
   * The one operation to use it for: `flights.book`, or the name of an operation of your own that a script was passed
   * for.
   *
   * @default every operation that knows the scenario
   */
  readonly operation?: OperationName | (string & {}) | undefined;
  /** The number of requests. @default all that follow, until a later scenario or script without `times` replaces it */
  readonly times?: number | undefined;
}

/** Options of {@link Emulator.withdraw}. */
export interface WithdrawOptions {
  /**
   * The one operation that it was used for.
   *
   * @default with and without an operation: wherever it is in use
   */
  readonly operation?: OperationName | (string & {}) | undefined;
}

/** Options of {@link Emulator.listen}. */
export interface ListenOptions {
  /** The port; `0` picks a free port. @default 0 */
  readonly port?: number | undefined;
  /** The host name or IP address to listen on. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /**
   * Further host names under which requests are accepted, such as the name of a Compose service when `host` is
   * `0.0.0.0`. Loopback names, `host` itself and the IP addresses that requests arrive at are always allowed.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves the console at `/`: a page that shows the requests as they arrive, and controls the emulator. It opens only
   * in a browser that uses a loopback name, such as `http://127.0.0.1:4010/`. `true` needs a loopback `host`;
   * `"anyHost"` serves it on any, as in a container whose port is published, and then always masks personal data.
   *
   * @default false
   */
  readonly console?: boolean | "anyHost" | undefined;
}

/** A listening emulator. */
export interface EmulatorServer extends AsyncDisposableIfKnown {
  /** Its URL: use it as `baseUrl`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

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
   * @throws {ConfigurationError} for a name that the operation does not know, an unknown option or
   *   an invalid value.
   */
  use(scenario: ScenarioName, options?: ScenarioOptions): void;
  /**
   * Ends a scenario of {@link Emulator.use}: no further request meets it.
   *
   * @param scenario - Its name, as it was passed to `use()`.
   * @param options - See {@link WithdrawOptions}.
   * @throws {ConfigurationError} for a name that the operation does not know, and for an unknown option or an invalid
   *   value.
   */
  withdraw(scenario: ScenarioName, options?: WithdrawOptions): void;
  /** The scenarios and scripts that further requests can meet, oldest first. */
  readonly active: readonly UnusedScript[];
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
  script<Target extends ScriptTarget>(operation: Target, response: ScriptFor<Target>, options?: ScriptOptions): void;
  /**
   * The scripts and scenarios that no request met, or fewer than `times`, oldest first. A test that expects all of them
   * to be used ends with `expect(emulator.unused).toEqual([])`.
   */
  readonly unused: readonly UnusedScript[];
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

/** A booking that was made. */
export interface EmulatedBooking {
  /** The reference of the request. */
  readonly client_referenceId: string;
  /** The `trace_id` of the request. */
  readonly trace_id: string;
  /** The quote token that was booked. */
  readonly token: string;
  /** The PNR in the response. */
  readonly pnr: string;
  /** The booking ID in the response. */
  readonly booking_id: number;
}

/** The result of a flight search, for `fareQuote` and `fareRule`. */
export interface SeededSearch {
  /** The `trace_id` of the search. */
  readonly trace_id: string;
  /** The token of one search result. */
  readonly token: SearchToken;
}
