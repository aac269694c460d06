import type { PostgresLike, PostgresQuery } from "../../src/stores.ts";

/** Returns what runs each statement on a client that begins no transaction. */
export function autocommit(client: PostgresLike): PostgresQuery {
  return (text, values) => (values === undefined ? client.query(text) : client.query(text, values));
}
