import { Ai } from "./ai/ai.ts";
import { checkClientOptions } from "./check-options.ts";
import { Flights } from "./flights/flights.ts";
import type { Operation } from "./operation.ts";
import { type ClientOptions, layerOptions, type RequestOptions } from "./options.ts";
import { checkBaseUrl } from "./transport/base-url.ts";
import type { ApiCall } from "./transport/call.ts";
import { Transport } from "./transport/transport.ts";
import { Verification } from "./verification/verification.ts";
import { Webhooks } from "./webhooks/webhooks.ts";

/**
 * The client of the service: it holds the credentials and gives the four areas.
 *
 * Constructing it sends nothing and never fails for a missing credential or address: those are asked for at the first
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

  /** From a mobile number to UPI addresses (§4.1). */
  readonly verification: Verification;
  /** Generated responses, whole or streamed (§4.2). */
  readonly ai: Ai;
  /** Fare quote, fare rule and booking (§4.3–4.5). */
  readonly flights: Flights;

  /**
   * @param options - See {@link ClientOptions}.
   * @throws {@link ConfigurationError} for an unknown option, an impossible value, or a base address that is not https.
   */
  constructor(options: ClientOptions = {}) {
    // A copy: what was checked is what is used, whatever becomes of the object.
    this.#options = checkClientOptions(options);
    if (this.#options.baseUrl !== undefined) checkBaseUrl(this.#options.baseUrl, this.#options);
    if (this.#options.webhooks !== undefined) this.#webhooks = new Webhooks(this.#options.webhooks);
    this.#transport = new Transport(this.#options);
    this.verification = new Verification(this.#transport);
    this.ai = new Ai(this.#transport);
    this.flights = new Flights(this.#transport);
  }

  /** Receives payout notifications (§6), with the options given as `webhooks`. */
  get webhooks(): Webhooks {
    this.#webhooks ??= new Webhooks(this.#options.webhooks);
    return this.#webhooks;
  }

  /**
   * Sends any operation, your own included; see {@link defineOperation}.
   *
   * @param operation - The endpoint as a value.
   * @param params - What is sent, less what the library fills in.
   * @param options - Options of this call.
   * @returns The call, which fails with a {@link ConfigurationError} where `operation` is none; else see {@link ApiCall}.
   */
  send<Params extends object, Body>(
    operation: Operation<Params, Body>,
    params: Params,
    options?: RequestOptions,
  ): ApiCall<Body> {
    return this.#transport.send(operation, params, options);
  }

  /**
   * A client of its own with some options changed; this one stays as it is.
   *
   * @param options - What changes. Headers, validation and path prefixes change by their entries; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  withOptions(options: ClientOptions): ServiceApi {
    return new ServiceApi(layerOptions(this.#options, checkClientOptions(options)));
  }

  /** What may be shown of a client: never a credential. */
  toJSON(): Record<string, unknown> {
    return { name: "ServiceApi", baseUrl: this.#options.baseUrl };
  }

  /** What `console.log` shows in Node, Deno and Bun. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ServiceApi { baseUrl: ${JSON.stringify(this.#options.baseUrl ?? "(from the environment)")} }`;
  }
}
