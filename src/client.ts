import { ConfigurationError } from "./errors/request.ts";
import type { Operation } from "./operation.ts";
import { type ClientOptions, checkOptions, clientRules, layerOptions, type RequestOptions } from "./options.ts";
import { refuseOldRuntime } from "./shared/old-runtime.ts";
import { Summarized } from "./shared/summarized.ts";
import type { ApiCall } from "./transport/call.ts";
import { checkBaseUrl } from "./transport/endpoint.ts";
import { environmentLevel } from "./transport/log.ts";
import { Transport } from "./transport/transport.ts";

/**
 * A client without namespaces, for bundles that hold only the operations that they send: edge functions, and servers
 * that call one area.
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
  /**
   * @param options - See {@link ClientOptions}.
   * @throws {@link ConfigurationError} for an unknown option, an invalid value, a base URL that is not https, or a Node
   *   that is too old.
   */
  constructor(options: ClientOptions = {}) {
    super();
    refuseOldRuntime();
    // The level of the log is read once; credentials and the base URL are read at each call.
    const checked = layerOptions({ log: { level: environmentLevel() } }, checkOptions("Client", options, clientRules));
    if (checked.baseUrl !== undefined) checkBaseUrl(checked.baseUrl, checked);
    transports.set(this, new Transport(checked));
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
    // `NoInfer` of TypeScript 5.4, also before it: literals stay what the operation says.
    params: [Params][Params extends unknown ? 0 : never],
    options?: RequestOptions,
  ): ApiCall<Body> {
    return transportOf(this).send<Params, Body>(operation, params, options);
  }

  /**
   * Returns a new client with the given options applied on top of this client's. This client does not change. A
   * subclass of your own gets a plain `Client`.
   *
   * @param options - The options that change. Headers, validation and path prefixes are merged; `undefined` changes
   *   nothing.
   * @throws {@link ConfigurationError} as the constructor does.
   */
  withOptions(options: ClientOptions): Client {
    return new Client(layerOptions(transportOf(this).options, checkOptions("Client", options, clientRules)));
  }

  /** The fields that are safe to show, never a credential. */
  override toJSON(): Record<string, unknown> {
    return { name: "Client", baseUrl: transportOf(this).options.baseUrl };
  }
}

/** A property of the client would show the credentials to whoever walks over it. */
const transports = new WeakMap<object, Transport>();

/**
 * Returns the transport of a client, which has its options.
 *
 * @throws ConfigurationError if it is not one.
 */
export function transportOf(client: object, owner = "Client"): Transport {
  const transport = transports.get(Object(client));
  if (transport !== undefined) return transport;
  throw new ConfigurationError(
    `${owner}: the first argument must be a client, as \`new Client()\` or \`new ServiceApi()\` makes. ` +
      "If it is one, it was made by another copy of serviceapi: `import` and `require()` load one each. Use one of them.",
  );
}
