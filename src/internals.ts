/** The key under which a client keeps what its namespaces need. @internal */
export const internals: unique symbol = Symbol.for("serviceapi.client");
