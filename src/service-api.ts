import { Ai } from "./ai/ai.ts";
import { checkClientOptions } from "./check-options.ts";
import { Client } from "./client.ts";
import { Flights } from "./flights/flights.ts";
import { internals } from "./internals.ts";
import { type ClientOptions, layerOptions } from "./options.ts";
import { loadParts } from "./shared/load-parts.ts";
import { Verification } from "./verification/verification.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/**
 * The client of the service: it holds the credentials and options, and has a property for each area.
 *
 * Creating a client sends nothing and never fails for a missing credential or base URL: they are read at the first
 * call, from the options or from `SERVICEAPI_BASE_URL`, `SERVICEAPI_CLIENT_ID` and `SERVICEAPI_CLIENT_SECRET`.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 *
 * const api = new ServiceApi({
 *   baseUrl: "https://api.example.com",
 *   clientId: "my-client",
 *   clientSecret: () => vault.read("serviceapi"),
 * });
 * const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
 * ```
 */
export class ServiceApi extends Client {
  #webhooks: Webhooks | undefined;

  /** Finds the UPI IDs of a mobile number (§4.1). */
  readonly verification: Verification;
  /** Generates AI responses, whole or as a stream (§4.2). */
  readonly ai: Ai;
  /** Fare quotes, fare rules and bookings (§4.3–4.5). */
  readonly flights: Flights;

  /**
   * @param options - See {@link ClientOptions}.
   * @throws {@link ConfigurationError} for an unknown option, an invalid value, or a base URL that is not https.
   */
  constructor(options: ClientOptions = {}) {
    super(options);
    const { webhooks } = this[internals].options;
    if (webhooks !== undefined) this.#webhooks = new Webhooks(webhooks);
    this.verification = new Verification(this);
    this.ai = new Ai(this);
    this.flights = new Flights(this);
  }

  /** Receives payout notifications (§6), with the option `webhooks` of this client. */
  get webhooks(): Webhooks {
    this.#webhooks ??= new Webhooks(this[internals].options.webhooks);
    return this.#webhooks;
  }

  /**
   * Returns a new client with the given options applied on top of this client's. This client does not change.
   *
   * @param options - The options that change. Headers, validation and path prefixes are merged; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  override withOptions(options: ClientOptions): ServiceApi {
    return new ServiceApi(layerOptions(this[internals].options, checkClientOptions(options)));
  }

  /**
   * Loads now what the client otherwise loads when it first needs it: the retries, the reader of streams, and the
   * explanations of values that are not of the documented form; see {@link Client.preload}.
   *
   * @throws {@link ConfigurationError} if loading a part fails.
   */
  override async preload(): Promise<void> {
    await loadParts(
      super.preload(),
      import("./ai/stream/open-stream.ts"),
      import("./verification/schemas.ts"),
      import("./ai/schemas.ts"),
      import("./flights/schemas/index.ts"),
    );
  }

  /** The fields that are safe to show, never a credential. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), name: "ServiceApi" };
  }
}
