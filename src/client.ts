import { Ai } from "./ai/ai.ts";
import { checkClientOptions } from "./check-options.ts";
import { Flights } from "./flights/flights.ts";
import type { Operation } from "./operation.ts";
import { type ClientOptions, layerOptions, type RequestOptions } from "./options.ts";
import type { Uninferred } from "./shared/compiler-types.ts";
import { checkBaseUrl } from "./transport/base-url.ts";
import type { ApiCall } from "./transport/call.ts";
import { Transport } from "./transport/transport.ts";
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
export class ServiceApi {
  readonly #options: ClientOptions;
  readonly #transport: Transport;
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
    // A copy: the object may change after it was checked.
    this.#options = checkClientOptions(options);
    if (this.#options.baseUrl !== undefined) checkBaseUrl(this.#options.baseUrl, this.#options);
    if (this.#options.webhooks !== undefined) this.#webhooks = new Webhooks(this.#options.webhooks);
    this.#transport = new Transport(this.#options);
    this.verification = new Verification(this.#transport);
    this.ai = new Ai(this.#transport);
    this.flights = new Flights(this.#transport);
  }

  /** Receives payout notifications (§6), with the option `webhooks` of this client. */
  get webhooks(): Webhooks {
    this.#webhooks ??= new Webhooks(this.#options.webhooks);
    return this.#webhooks;
  }

  /**
   * Sends any operation, your own included; see {@link defineOperation}.
   *
   * @param operation - The operation.
   * @param params - The body of the request, without the fields that the library fills in.
   * @param options - Options of this call.
   * @returns An {@link ApiCall}; it rejects with a {@link ConfigurationError} if `operation` was not returned by
   *   `defineOperation`.
   */
  send<Params extends object, Body>(
    operation: Operation<Params, Body>,
    params: Uninferred<Params>,
    options?: RequestOptions,
  ): ApiCall<Body> {
    return this.#transport.send<Params, Body>(operation, params, options);
  }

  /**
   * Returns a new client with the given options applied on top of this client's. This client does not change.
   *
   * @param options - The options that change. Headers, validation and path prefixes are merged; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  withOptions(options: ClientOptions): ServiceApi {
    return new ServiceApi(layerOptions(this.#options, checkClientOptions(options)));
  }

  /** The fields that are safe to show, never a credential. */
  toJSON(): Record<string, unknown> {
    return { name: "ServiceApi", baseUrl: this.#options.baseUrl };
  }

  /** Returns the summary that `console.log` shows in Node, Deno and Bun. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ServiceApi { baseUrl: ${JSON.stringify(this.#options.baseUrl ?? "(from the environment)")} }`;
  }
}
