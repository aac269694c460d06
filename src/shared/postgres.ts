import { ConfigurationError } from "../errors/request.ts";
import type { Rule } from "./options.ts";

/** The part that is used of a `pg` pool or client, of PGlite, or of any other client with such a `query`. */
export interface PostgresLike {
  /** Runs one statement with `$1`, `$2` … as parameters. */
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * Returns a client that throws typed errors.
 *
 * @param fail - Returns the error to throw for an error of `query`.
 */
export function guardPostgres(client: PostgresLike, fail: (error: unknown) => Error): PostgresLike {
  return {
    async query(text, values) {
      const result: unknown = await askPostgres(client, text, values).catch((error: unknown) => {
        throw fail(error);
      });
      const { rows }: { readonly rows?: unknown } = Object(result);
      if (Array.isArray(rows)) return { rows };
      throw new ConfigurationError(
        "The client's query() returned no `rows`. Pass a client such as that of pg or PGlite.",
      );
    },
  };
}

/** Turns the exception of a client that throws into a rejection. */
async function askPostgres(client: PostgresLike, text: string, values: unknown[] | undefined): Promise<unknown> {
  return values === undefined ? client.query(text) : client.query(text, values);
}

/**
 * The rule for the name of a table, with or without its schema, which becomes part of statements. With the longest
 * suffix, `_one_reference`, it has the 63 characters that Postgres keeps of a name.
 */
export const tableName: Rule = (value) =>
  typeof value === "string" && /^[a-z_]\w{0,48}(\.[a-z_]\w{0,48})?$/i.test(value)
    ? undefined
    : "must be a plain name of at most 49 characters, such as payouts or app.payouts";

/**
 * The condition that the client is in no transaction that has written something: a write assigns an ID to its
 * transaction, which later statements see while it is open.
 */
export const noTransaction = "txid_current_if_assigned() is null";

/**
 * The end of a write: what it commits survives a crash of the primary, and a failover to a synchronous standby, with
 * `synchronous_commit = off` as well. Evaluated for each row that is written, within its own transaction.
 */
export const durably = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`;

/** A table, quoted for statements, and the names of its indexes and sequences. */
export interface QuotedTable {
  /** `app.bookings` as `"app"."bookings"`. */
  readonly quoted: string;
  /** Without the schema, as for an index, which is in the schema of its table. */
  readonly nameOf: (suffix: string) => string;
  /** With the schema, as for a sequence. */
  readonly fullNameOf: (suffix: string) => string;
}

/** @param table - Allowed by {@link tableName}. */
export function quoteTable(table: string): QuotedTable {
  const quote = (name: string) =>
    name
      .split(".")
      .map((part) => `"${part}"`)
      .join(".");
  return {
    quoted: quote(table),
    nameOf: (suffix) => `"${table.split(".").at(-1)}_${suffix}"`,
    fullNameOf: (suffix) => quote(`${table}_${suffix}`),
  };
}
