import { ConfigurationError } from "../errors/request.ts";
import { errorCodeOf } from "./error-code.ts";
import { field, stringOf } from "./json.ts";
import { objectWith, type Rule } from "./options.ts";

/** A client of `pg`, PGlite, or any other with such a `query`: for a transaction of yours. */
export interface PostgresLike {
  /** Runs one statement with `$1`, `$2` … as parameters. */
  query(
    text: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount?: number | null; readonly command?: string }>;
}

/** A client that was taken from a pool. */
export interface PooledClient extends PostgresLike {
  /** Returns the client to its pool; `release(true)` closes its connection. */
  release(close?: boolean): void;
}

/** A pool of `pg`, which runs each statement outside of any transaction. A single client has no `totalCount`. */
export interface PostgresPool<Client extends PooledClient = PooledClient> extends PostgresLike {
  /** The number of its connections. */
  readonly totalCount: number;
  /** Takes a client from the pool. The second form is that of `pg` with a callback, and is not used. */
  // biome-ignore lint/suspicious/noConfusingVoidType: the second form of `pg` returns void.
  readonly connect: { (): Promise<Client>; (callback: never): Promise<Client> | void };
  /** Calls a listener with each client that is taken; a wrapper of a pool may lack it. */
  on?(event: "acquire", listener: (client: Emitter) => void): unknown;
}

interface Emitter {
  on(event: "error", listener: () => void): unknown;
  off(event: "error", listener: () => void): unknown;
}

/**
 * Runs one statement that is committed when it resolves: on a pool, or on a client that begins no transaction, such as
 * `(text, values) => pglite.query(text, values)`.
 */
export type PostgresQuery = PostgresLike["query"];

/** The rule for what runs statements outside of any transaction. */
export const poolOrQuery: Rule = (value) => {
  const { query, totalCount }: { readonly query?: unknown; readonly totalCount?: unknown } = Object(value);
  return typeof value === "function" || (typeof query === "function" && typeof totalCount === "number")
    ? undefined
    : "must be a pool, as `new Pool()` of pg makes, or a function that runs one statement outside of any transaction: `(text, values) => db.query(text, values)`";
};

/** A client on which a transaction was begun. A pool is none: it runs each statement on a connection of its choice. */
export type TransactionClient = PostgresLike & { readonly totalCount?: never };

/** The rule for a {@link TransactionClient}. */
export const clientRule: Rule = (value, name) =>
  objectWith("query")(value, name) ??
  (poolOrQuery(value, name) === undefined
    ? "must be the client on which your transaction was begun, such as that of `pool.connect()`, and no pool: it runs each statement on any connection"
    : undefined);

const listened = new WeakSet<PostgresPool>();
const ignore = () => {};

/**
 * Keeps a connection that ends while its client is taken from ending the process: the next query rejects. The client may
 * emit the error before whoever takes it can listen.
 */
export function ignoreClientErrors(pool: PostgresPool): void {
  if (listened.has(pool)) return;
  listened.add(pool);
  pool.on?.("acquire", (client) => {
    client.off("error", ignore);
    client.on("error", ignore);
  });
}

/**
 * Returns a client that throws typed errors.
 *
 * @param fail - Returns the error to throw for an error of `query`.
 */
export function guardPostgres(client: PostgresLike | PostgresQuery, fail: (error: unknown) => Error): PostgresLike {
  return {
    async query(...given) {
      let result: Awaited<ReturnType<PostgresLike["query"]>>;
      try {
        result = await (typeof client === "function" ? client(...given) : client.query(...given));
      } catch (error) {
        throw fail(error);
      }
      if (Array.isArray(Object(result).rows)) return result;
      throw new ConfigurationError(
        "The client's query() returned no `rows`. Pass a client such as that of pg or PGlite.",
      );
    },
  };
}

/**
 * The rule for the name of a table, with or without its schema, which becomes part of statements. A suffix may have
 * 14 characters: Postgres keeps 63 of a name.
 */
export const tableName: Rule = (value) =>
  typeof value === "string" && /^[a-z_]\w{0,48}(\.[a-z_]\w{0,48})?$/i.test(value)
    ? undefined
    : "must be a plain name of at most 49 characters, such as payouts or app.payouts";

/**
 * The end of a write: what it commits survives a crash of the primary, and a failover to a synchronous standby, with
 * `synchronous_commit = off` as well. Evaluated for each row that is written, within its own transaction.
 */
export const durably = `set_config('synchronous_commit',
  case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`;

/** Returns a table, quoted for statements, and what names its indexes and sequences. It is allowed by {@link tableName}. */
export function quoteTable(table: string) {
  const [name, schema] = table.split(".").reverse();
  const before = schema === undefined ? "" : `"${schema}".`;
  return {
    quoted: `${before}"${name}"`,
    /** Without the schema, as for an index, which is in the schema of its table. */
    nameOf: (suffix: string) => `"${name}_${suffix}"`,
    /** With the schema, as for a sequence. */
    fullNameOf: (suffix: string) => `${before}"${name}_${suffix}"`,
  };
}

/**
 * Returns the meaning of a failure of Postgres, or of the connection to it, and what to do next: one or two sentences
 * without a value, a user, a host or a password.
 *
 * @param error - The reason with which `client.query()` rejected.
 * @param table - The table, as the caller passed it.
 * @param privileges - The privileges that the database user needs: `select, insert and update on the table bookings`.
 */
export function explainPostgresFailure(error: unknown, table: string, privileges: string): string {
  const message = stringOf(field(error, "message"));
  const code = errorCodeOf(error) || (messages.find(([pattern]) => pattern.test(message))?.[1] ?? "");
  const [, meaning] = failures.find(([codes]) => codes.split(" ").some((start) => code.startsWith(start))) ?? [];
  if (meaning === undefined) return `Postgres or its client failed${code === "" ? "" : ` (${code})`}. See \`cause\`.`;
  const given: Readonly<Record<string, string>> = { "{table}": table, "{privileges}": privileges, "{code}": code };
  return meaning.replaceAll(/\{\w+\}/g, (name) => given[name] ?? name);
}

/** Errors for which pg has a message alone. A connection that ended between two queries is what Postgres calls 08000. */
const messages: readonly (readonly [pattern: RegExp, code: string])[] = [
  [/^timeout exceeded when trying to connect$/, "POOL"],
  [/^Query read timeout$/, "ETIMEDOUT"],
  [/\bconnection\b/i, "08000"],
];

/**
 * The first row of whose codes, or classes of codes, one fits. Codes of Postgres: its appendix A; the others are those of
 * Node.
 */
const failures: readonly (readonly [codes: string, meaning: string])[] = [
  ["42P01", "The table {table} does not exist. Call createSchema() once, or run `schema` in your migrations."],
  ["3F000", "The schema of the table {table} does not exist. Create it, then call createSchema()."],
  ["42703 42804", "The table {table} has other columns. Choose another `table`, or migrate it to `schema`."],
  [
    "42883",
    "The function of the table {table} is missing, or the table has other columns. Call createSchema() once, or migrate it to `schema`.",
  ],
  [
    "42501",
    "The database user has no permission for this. Grant it {privileges}; to create the table it needs create on the schema.",
  ],
  ["28", "The database refused the user or the password of the client. Check the client's credentials."],
  ["3D000", "The database that the client names does not exist. Check the client's settings."],
  ["25006", "The database is read-only, as a replica is. Connect the client to the primary."],
  [
    "25P02 40000",
    "A statement of the transaction failed before, and its error was caught or not awaited, so nothing is committed. Await each query, and let its error end the work.",
  ],
  [
    "POOL",
    "All connections of the pool were taken for longer than its `connectionTimeoutMillis`. Raise its `max`, or shorten the work that holds a connection.",
  ],
  ["53100", "The disk of the database is full. Free space, then try again."],
  ["53", "The database is out of resources ({code}), such as connections. Try again later."],
  ["40 55P03 57014", "The database canceled the statement ({code}). Try again."],
  ["ERR_INVALID_URL", "The connection string of the client is not a URL. Encode special characters in the password."],
  [
    "08 57P ECONN EHOST ENET ENOTFOUND EAI_AGAIN ETIMEDOUT EPIPE ENOENT",
    "The database cannot be reached ({code}). Check that it is running, and the host and port of the client.",
  ],
];
