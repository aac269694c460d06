import { Ai } from "./ai/ai.ts";
import { Client, transportOf } from "./client.ts";
import { ConfigurationError } from "./errors/request.ts";
import { Flights } from "./flights/flights.ts";
import { type ClientOptions, checkOptions, clientRules, layerOptions } from "./options.ts";
import { objectWith, type Rule } from "./shared/options.ts";
import { Verification } from "./verification/verification.ts";
import type { Webhooks } from "./webhooks/webhooks.ts";

/** Options of `new ServiceApi(options)`. */
export interface ServiceApiOptions extends ClientOptions {
  /** The receiver `api.webhooks`: `new Webhooks({…})` of `serviceapi/webhooks`. A bundle without one does not carry it. */
  readonly webhooks?: Webhooks | undefined;
}

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
  readonly #webhooks: Webhooks | undefined;

  /** Finds the UPI IDs of a mobile number (§4.1). */
  readonly verification: Verification;
  /** Generates AI responses, whole or as a stream (§4.2). */
  readonly ai: Ai;
  /** Fare quotes, fare rules and bookings (§4.3–4.5). */
  readonly flights: Flights;

  /**
   * @param options - See {@link ServiceApiOptions}.
   * @throws {@link ConfigurationError} for an unknown option, an invalid value, a base URL that is not https, or a Node
   *   that is too old.
   */
  constructor(options: ServiceApiOptions = {}) {
    const { webhooks, ...clientOptions } = checked(options);
    super(clientOptions);
    this.#webhooks = webhooks;
    this.verification = new Verification(this);
    this.ai = new Ai(this);
    this.flights = new Flights(this);
  }

  /**
   * Receives payout notifications (§6): the option `webhooks` of this client.
   *
   * @throws {@link ConfigurationError} without that option.
   */
  get webhooks(): Webhooks {
    if (this.#webhooks !== undefined) return this.#webhooks;
    throw new ConfigurationError(`ServiceApi: set the option \`webhooks\` to ${aReceiver}.`);
  }

  /**
   * Returns a new client with the given options applied on top of this client's. This client does not change.
   *
   * @param options - The options that change. Headers, validation and path prefixes are merged; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  override withOptions(options: ServiceApiOptions): ServiceApi {
    const { webhooks = this.#webhooks, ...changes } = checked(options);
    return new ServiceApi({ ...layerOptions(transportOf(this).options, changes), webhooks });
  }

  /** The fields that are safe to show, never a credential. */
  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), name: "ServiceApi" };
  }
}

const aReceiver = "a receiver: new Webhooks({…}) of serviceapi/webhooks";
const isReceiver = objectWith("handler", "verify", "process");
const receiver: Rule = (value, name) => isReceiver(value, name) && `must be ${aReceiver}`;

function checked(options: ServiceApiOptions): ServiceApiOptions {
  return checkOptions<ServiceApiOptions>("ServiceApi", options, { ...clientRules, webhooks: receiver });
}
