import { ConfigurationError } from "../errors/request.ts";

/** What is used of a `pg` pool or client, of PGlite, and of anything else with such a `query`. */
export interface PostgresLike {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Checks the name of a table, which becomes part of statements.
 *
 * @throws ConfigurationError if it is not a plain name, with or without its schema.
 */
export function checkTableName(owner: string, table: string): string {
  if (/^[a-z_]\w{0,44}(\.[a-z_]\w{0,44})?$/i.test(table)) return table;
  throw new ConfigurationError(`${owner}: \`table\` must be a plain name, such as bookings or app.bookings.`);
}

/** `app.bookings` as `"app"."bookings"`, and a name for something that belongs to it. */
export function quoteTable(table: string): { readonly quoted: string; readonly nameOf: (suffix: string) => string } {
  const parts = table.split(".");
  return {
    quoted: parts.map((part) => `"${part}"`).join("."),
    nameOf: (suffix) => `"${parts.at(-1)}_${suffix}"`,
  };
}
