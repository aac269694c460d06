import { checkClientOptions } from "./check-options.ts";
import { ConfigurationError } from "./errors/request.ts";
import { internals } from "./internals.ts";
import type { Operation } from "./operation.ts";
import { type ClientOptions, layerOptions, type RequestOptions } from "./options.ts";
import type { Uninferred } from "./shared/compiler-types.ts";
import { loadParts } from "./shared/load-parts.ts";
import { Summarized } from "./shared/summarized.ts";
import { checkBaseUrl } from "./transport/base-url.ts";
import type { ApiCall } from "./transport/call.ts";
import { Transport } from "./transport/transport.ts";

/**
 * A client without namespaces, for bundles that hold only the operations that they send: edge functions, and servers that
 * call one area.
 *
 * It takes the options of `ServiceApi`, except `webhooks`, and reads credentials and base URL as that does.
 *
 * @example
 * ```ts
 * import { Client } from "serviceapi/core";
 * import { findVpas } from "serviceapi/verification";
 *
 * const client = new Client({ clientId: "my-client", clientSecret: () => vault.read("serviceapi") });
 * const { vpaList } = await client.send(findVpas, { vpa_mobile: "6000000001", consent: "Y" });
 * ```
 */
export class Client extends Summarized {
  /** @internal */
  declare readonly [internals]: { readonly options: ClientOptions; readonly transport: Transport };

  /**
   * @param options - See {@link ClientOptions}.
   * @throws {@link ConfigurationError} for an unknown option, an invalid value, or a base URL that is not https.
   */
  constructor(options: ClientOptions = {}) {
    super();
    // A copy: the object may change after it was checked.
    const checked = checkClientOptions(options);
    if (checked.baseUrl !== undefined) checkBaseUrl(checked.baseUrl, checked);
    if (checked.webhooks !== undefined && !("webhooks" in new.target.prototype)) throw hasNoWebhooks();
    const value = { options: checked, transport: new Transport(checked) };
    Object.defineProperty(this, internals, { value });
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
    return this[internals].transport.send<Params, Body>(operation, params, options);
  }

  /**
   * Returns a new client with the given options applied on top of this client's. This client does not change.
   *
   * @param options - The options that change. Headers, validation and path prefixes are merged; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  withOptions(options: ClientOptions): Client {
    return new Client(layerOptions(this[internals].options, checkClientOptions(options)));
  }

  /**
   * Loads now what the client otherwise loads when it first needs it: the retries, and the explanations of values that
   * are not of the documented form. Call it at start if a load at that moment is unwelcome, as where the files of a
   * running process may be replaced.
   *
   * @throws {@link ConfigurationError} if loading a part fails.
   *
   * @example
   * ```ts
   * import { ServiceApi } from "serviceapi";
   *
   * const api = new ServiceApi();
   * await api.preload();
   * ```
   */
  async preload(): Promise<void> {
    await loadParts(import("./transport/retries.ts"), import("./shared/standard-schema.ts"));
  }

  /** The fields that are safe to show, never a credential. */
  override toJSON(): Record<string, unknown> {
    return { name: "Client", baseUrl: this[internals].options.baseUrl };
  }
}

function hasNoWebhooks(): ConfigurationError {
  return new ConfigurationError(
    "Client: `webhooks` is an option of ServiceApi. Pass it to `new Webhooks()` of serviceapi/webhooks.",
  );
}
