import type { PostgresLike } from "../../src/shared/postgres.ts";

/** Returns a client on which another part of the application sends a statement right after each write. */
export function followedBy(statement: string, client: PostgresLike): PostgresLike {
  return {
    query(text, values) {
      const result = client.query(text, values);
      if (/^(?:insert|update|delete)/.test(text)) client.query(statement).catch(() => {});
      return result;
    },
  };
}
