import { ConfigurationError } from "./errors/request.ts";

/** The key under which a client keeps what its namespaces need. @internal */
export const internals: unique symbol = Symbol.for("serviceapi.client");

/**
 * Returns the client of a namespace.
 *
 * @throws ConfigurationError if it is not one.
 */
export function requireClient<Client>(owner: string, client: Client): Client {
  if (internals in Object(client)) return client;
  throw new ConfigurationError(
    `${owner}: the argument must be a client, as \`new Client()\` or \`new ServiceApi()\` makes.`,
  );
}
