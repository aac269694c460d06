import { ConfigurationError } from "./errors/request.ts";
import type { ClientOptions } from "./options.ts";
import type { Transport } from "./transport/transport.ts";

/** The parts of a client that its namespaces use. */
export interface Internals {
  readonly options: ClientOptions;
  readonly transport: Transport;
}

/**
 * One map for all copies of this package. A property of the client would show the credentials to whoever walks over it.
 */
const key = Symbol.for("serviceapi.clients");

function clients(): WeakMap<object, Internals> {
  const holder = globalThis as { [key]?: WeakMap<object, Internals> };
  if (holder[key] === undefined) Object.defineProperty(holder, key, { value: new WeakMap() });
  return holder[key] ?? new WeakMap();
}

/** Keeps the internals of a client. */
export function keepInternals(client: object, internals: Internals): void {
  clients().set(client, internals);
}

/**
 * Returns the internals of a client.
 *
 * @throws ConfigurationError if it is not one.
 */
export function internalsOf(client: object, owner = "Client"): Internals {
  const internals = clients().get(Object(client));
  if (internals !== undefined) return internals;
  throw new ConfigurationError(
    `${owner}: the argument must be a client, as \`new Client()\` or \`new ServiceApi()\` makes.`,
  );
}
