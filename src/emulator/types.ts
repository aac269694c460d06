import type { SearchToken } from "../flights/types/index.ts";
import type { Area } from "../options.ts";
import type { AsyncDisposableIfKnown } from "../shared/async-disposable.ts";
import type { FramingName } from "./ai/framing.ts";
import type { SearchName } from "./catalogue/quotes.ts";
import type { EmulatorClock } from "./state/clock.ts";
import type { Delivery, DeliveryAttempt, FireOptions, PayoutRequest, WebhookSettings } from "./deliveries/types.ts";

/** Options of {@link createEmulator}. Every one has a default. */
export interface EmulatorOptions {
  /**
   * Where the emulator's clock starts, and that it stands still until it is moved: two runs then answer the same, byte
   * for byte. Without it the clock runs beside real time.
   */
  readonly now?: Date | number | string | undefined;
  /** Milliseconds between two events of a stream, in real time. @default 15 */
  readonly pace?: number | undefined;
  /** How streams are framed; the document does not show it (§6.1). @default "sse" */
  readonly framing?: FramingName | undefined;
  /** Refuses a `trace_id` or token that was never issued. `false` takes it for the default search. @default true */
  readonly strict?: boolean | undefined;
  /** Milliseconds for which a flight search can be quoted and booked, on the emulator's clock. @default 900_000 (15 min) */
  readonly sessionMs?: number | undefined;
  /**
   * The HTTP status of a refusal by the service: the status code of its body, or 200. The document does not show it
   * (§7). What a gateway would say, such as `html-502`, keeps its own.
   *
   * @default the status code of the body; for a sample that is asked for by name, the status that belongs to it
   */
  readonly failureStatus?: "asCode" | 200 | undefined;
  /** Seconds in the header `Retry-After` where an answer has one. @default 2 */
  readonly retryAfterSeconds?: number | undefined;
  /** The path in front of an area's operations, as in the client. @default `{ verification: "", ai: "api/serviceapi-prod/api", flight: "" }` */
  readonly pathPrefixes?: Partial<Record<Area, string>> | undefined;
  /** A scenario for every request; see {@link Emulator.use}. */
  readonly scenario?: string | undefined;
  /** Where webhooks go, how they are signed, and when they are tried again. */
  readonly webhook?: WebhookSettings | undefined;
  /** Called for every request, answered or dropped, for a log: names and times, no body. What it throws is ignored. */
  readonly onRequest?: ((line: RequestLine) => unknown) | undefined;
}

/** One line of a log. */
export interface RequestLine {
  readonly method: string;
  /** Such as `flights.book`; the path where it belongs to no operation. */
  readonly operation: string;
  /** HTTP status; `undefined` where the connection was dropped. */
  readonly status: number | undefined;
  /** Milliseconds of real time until the answer began. */
  readonly durationMs: number;
}

/** A request as the emulator received it. */
export interface ReceivedRequest {
  /** Such as `flights.book`; `undefined` where the path belongs to no operation. */
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  /** Lower-case names; the client secret is left out. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON, or the text where it is none. */
  readonly body: unknown;
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly receivedAt: number;
}

/** What {@link Emulator.use} takes besides the name. */
export interface ScenarioOptions {
  /** Only for this operation, such as `flights.book`. @default every operation that knows the scenario */
  readonly operation?: string | undefined;
  /** For how many requests. @default all that follow */
  readonly times?: number | undefined;
}

/** Where {@link Emulator.listen} listens. */
export interface ListenOptions {
  /** `0` for a spare one. @default 0 */
  readonly port?: number | undefined;
  /** @default "127.0.0.1" */
  readonly host?: string | undefined;
  /**
   * Further host names under which requests are accepted, such as the name of a Compose service when `host` is
   * `0.0.0.0`. Loopback names, `host` itself and the addresses that requests arrive at are always allowed.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A listening emulator. */
export interface EmulatorServer extends AsyncDisposableIfKnown {
  /** Use it as `baseUrl`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

/** The service of the interface document, in memory. Made by {@link createEmulator}. */
export interface Emulator {
  /** Answers as the service would, without a network: give it to the client as `fetch`. A redirect is never followed. */
  readonly fetch: typeof globalThis.fetch;
  /**
   * Serves the same over HTTP. Node, Deno and Bun.
   *
   * @throws {ConfigurationError} for an unknown option or an invalid value.
   */
  listen(options?: ListenOptions): Promise<EmulatorServer>;
  /** What was received, oldest first; the last 10,000 of it, and of these the last 32 MiB. */
  readonly requests: readonly ReceivedRequest[];
  /** What was booked, oldest first, also where no answer reached the caller; the last 10,000, and of these the last 32 MiB. */
  readonly bookings: readonly EmulatedBooking[];
  /**
   * A flight search as the service would have answered it: what `fareQuote` and `fareRule` take.
   *
   * @param name - Which itinerary. @default "domestic-oneway-full-service"
   */
  seedSearch(name?: SearchName): SeededSearch;
  /**
   * Makes the requests that follow meet a scenario: a fault (`reset`, `slow:500`, `html-502`, …) or a sample of the
   * operation (`failed-partial`, `success-inconsistent`, …); docs/emulator.md lists them. The header
   * `X-Emulator-Scenario` does the same for one request.
   *
   * @throws {ConfigurationError} for a name that no operation knows, an unknown option or an invalid value.
   */
  use(scenario: string, options?: ScenarioOptions): void;
  /**
   * Sends webhooks to a URL, or to a handler in this process.
   *
   * @throws {ConfigurationError} for an unknown setting or an invalid value.
   */
  deliverTo(target: NonNullable<WebhookSettings["to"]>, settings?: Omit<WebhookSettings, "to">): void;
  /**
   * A payout that has come to its end: delivers its notification (§6.2), and again up to three times on the emulator's
   * clock while it is not acknowledged (§6.4).
   *
   * @returns After the first attempt; the object goes on changing with further ones.
   * @throws {ConfigurationError} if there is nowhere to send to, and for an unknown field or an invalid value.
   */
  payout(payout?: PayoutRequest): Promise<Delivery>;
  /** The test fire of §6.5.4: sends one notification once and tells what came of it. */
  fire(
    event?: PayoutRequest["outcome"] | Readonly<Record<string, unknown>>,
    options?: FireOptions,
  ): Promise<DeliveryAttempt>;
  /**
   * The delivery history (§6.4), oldest first; the last 10,000, and of these the last 32 MiB. One that is forgotten is not
   * tried again.
   */
  readonly deliveries: readonly Delivery[];
  /** Forgets everything but the options, the time, and where webhooks go. */
  reset(): void;
  /** The emulator's time. */
  readonly clock: EmulatorClock;
}

/** A booking that was made. */
export interface EmulatedBooking {
  readonly client_referenceId: string;
  readonly trace_id: string;
  readonly token: string;
  readonly pnr: string;
  readonly booking_id: number;
}

/** What a flight search hands to `fareQuote` and `fareRule`. */
export interface SeededSearch {
  readonly trace_id: string;
  readonly token: SearchToken;
}
