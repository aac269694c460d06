import { ConfigurationError } from "../../errors/request.ts";
import { causeOf } from "../../shared/error-code.ts";
import { field, parseJson } from "../../shared/json.ts";
import { type Rule, readOptions } from "../../shared/options.ts";
import {
  clientRule,
  durably,
  explainPostgresFailure,
  guardPostgres,
  type PostgresLike,
  type PostgresPool,
  type PostgresQuery,
  poolOrQuery,
  quoteTable,
  tableName,
} from "../../shared/postgres.ts";
import { JournalError } from "../errors.ts";
import {
  type BookingJournal,
  type ClaimOptions,
  checkKey,
  checkRow,
  type JournalRow,
  readRow,
  rowChanges,
} from "./journal.ts";

/** Options of {@link postgresJournal}. */
interface PostgresJournalOptions {
  /** Name of the table, with or without its schema. @default "serviceapi_bookings" */
  readonly table?: string | undefined;
}

/** A {@link BookingJournal} in Postgres. */
export interface PostgresJournal extends BookingJournal {
  /**
   * Creates the table and its indexes if they are missing. Safe to call from many processes at once.
   *
   * @throws {@link JournalError} if the database fails or the user may not create a table; see its `cause`.
   */
  createSchema(): Promise<void>;
  /** The statement that {@link PostgresJournal.createSchema} runs, for your own migrations. */
  readonly schema: string;
  /**
   * Returns the same journal on a client of yours, so that a row is settled in one transaction with your own writes. If
   * you roll back, the row is still pending, and you reconcile it again later.
   *
   * It has no `claim`, and a checkout refuses it: others see a claim only once it is committed, and a rollback would
   * remove the record of a booking that was sent.
   *
   * @param client - The client on which your transaction was begun.
   * @throws {@link ConfigurationError} for a client without `query()`.
   *
   * @example
   * ```ts
   * import { Pool } from "pg";
   * import { type JournalRow, reconcile } from "serviceapi/flights";
   * import { postgresJournal } from "serviceapi/stores";
   *
   * const pool = new Pool();
   * const journal = postgresJournal(pool);
   * const ignore = () => {}; // the next query rejects
   * pool.on("error", ignore); // else a connection that ends while idle ends the process
   *
   * async function found(row: JournalRow, pnr: string) {
   *   const client = await pool.connect();
   *   client.on("error", ignore); // else a connection that ends between two queries ends the process
   *   try {
   *     await client.query("begin");
   *     await reconcile(journal.withTransaction(client), row, { pnr });
   *     await client.query("update orders set pnr = $1 where reference = $2", [pnr, row.clientReferenceId]);
   *     await client.query("commit");
   *     client.off("error", ignore).release();
   *   } catch (error) {
   *     client.off("error", ignore).release(true); // closes the connection, which ends the transaction
   *     throw error;
   *   }
   * }
   * ```
   */
  withTransaction(client: PostgresLike): Omit<BookingJournal, "conflict" | "claim">;
}

/**
 * Creates a journal in Postgres, with `pg`, PGlite or another client that has their `query`, for any number of
 * processes and machines. Each step is one statement, which is committed when it resolves. Unique indexes decide which of
 * two claims was first.
 *
 * @param pool - Your pool, or a {@link PostgresQuery}; it is not closed here. A single client is refused: in an open
 *   transaction of another part of the application, a rollback would remove the record of a booking that was sent.
 * @param options - See {@link PostgresJournalOptions}.
 * @throws {@link ConfigurationError} for a client in place of a pool, an unknown option or an invalid table name. Its
 *   methods throw a {@link JournalError} if the database fails: its message says what to do about a missing table, a
 *   missing permission or a lost connection.
 *
 * @example
 * ```ts
 * import pg from "pg";
 * import { checkout } from "serviceapi/flights";
 * import { postgresJournal } from "serviceapi/stores";
 *
 * const journal = postgresJournal(new pg.Pool());
 * await journal.createSchema();
 * const trip = checkout(api, { trace_id, token }, { journal });
 * ```
 */
export function postgresJournal(
  pool: PostgresPool | PostgresQuery,
  options: PostgresJournalOptions = {},
): PostgresJournal {
  check("postgresJournal", poolOrQuery, "`pool`", pool);
  const { table = "serviceapi_bookings" } = readOptions<PostgresJournalOptions>("postgresJournal", options, {
    table: tableName,
  });
  const statements = journalStatementsFor(table);
  const privileges = `select, insert and update on the table ${table}`;
  const guard = (given: PostgresLike | PostgresQuery) =>
    guardPostgres(given, (cause) => journalFailed(explainPostgresFailure(cause, { table, privileges }), cause));
  const guarded = guard(pool);
  return {
    ...journalOn(guarded, statements),
    async createSchema() {
      await guarded.query(statements.schema);
    },
    schema: statements.schema,
    withTransaction(transaction) {
      check("withTransaction", clientRule, "the client", transaction);
      const { settle, find, get, pending } = journalOn(guard(transaction), statements);
      return { settle, find, get, pending };
    },
  };
}

function check(owner: string, rule: Rule, what: string, value: unknown): void {
  const complaint = rule(value, what);
  if (complaint !== undefined) throw new ConfigurationError(`${owner}: ${what} ${complaint}.`);
}

function journalOn(client: PostgresLike, statements: JournalStatements): BookingJournal {
  const rows = async (statement: string, values: unknown[]) => readRows(await client.query(statement, values));
  return {
    conflict: async (row, options) => (await rows(statements.conflict, keysOf(row, options)))[0],
    claim: async (row, options) => claim(client, statements, checkRow("postgresJournal", row), options),
    settle: async (row, from) => {
      const settled = checkRow("postgresJournal", row);
      const values = [settled.attemptId, settled.state, JSON.stringify(settled), from];
      return (await client.query(statements.settle, values)).rows.length === 1;
    },
    find: async (reference) => rows(statements.find, [checkKey("postgresJournal", "clientReferenceId", reference)]),
    get: async (attemptId) => (await rows(statements.get, [checkKey("postgresJournal", "attemptId", attemptId)]))[0],
    pending: () => rows(statements.pending, []),
  };
}

/** Number of tries for a claim whose conflicting row was gone when it was read. */
const tries = 5;

async function claim(
  client: PostgresLike,
  statements: JournalStatements,
  row: JournalRow,
  options: ClaimOptions,
): Promise<JournalRow | undefined> {
  const keys = keysOf(row, options);
  const kept = { ...row, ...(options.force === true && { forced: true }) };
  for (let tried = 0; tried < tries; tried += 1) {
    const { rows } = await client.query(statements.claim, [...keys, row.state, row.sentAt, JSON.stringify(kept)]);
    if (rows.length === 1) return undefined;
    const [other] = readRows(await client.query(statements.conflict, keys));
    if (other !== undefined) return other;
  }
  throw journalFailed("Another row conflicted each time, and was gone when it was read. Try again.");
}

function journalFailed(message: string, cause?: unknown): JournalError {
  return new JournalError({ message: `postgresJournal: ${message}`, cause: causeOf(cause) });
}

function keysOf(row: JournalRow, { force }: ClaimOptions): unknown[] {
  const { attemptId, clientReferenceId, token, traceId, searchToken, result, fingerprint } = row;
  return [attemptId, clientReferenceId, token, traceId, searchToken, result, fingerprint, force === true];
}

/** `pg` and PGlite parse `jsonb`; other drivers return it as a string. */
function readRows({ rows }: { readonly rows: readonly unknown[] }): JournalRow[] {
  return rows.map((found) => {
    const value = field(found, "row");
    const row = readRow(typeof value === "string" ? parseJson(value) : value);
    if (row === undefined)
      throw new ConfigurationError("postgresJournal: the table holds a row that is not a JournalRow.");
    return row;
  });
}

/** The SQL of the Postgres journal, for one table. */
interface JournalStatements {
  readonly schema: string;
  readonly claim: string;
  readonly conflict: string;
  readonly settle: string;
  readonly find: string;
  readonly get: string;
  readonly pending: string;
}

/** The changes of a row, from its state $4 to $2. */
const changes = () =>
  rowChanges()
    .map(([from, state]) => `('${from}', '${state}')`)
    .join(", ");
const open = "state in ('sent', 'unknown', 'booked')";
/** Tokens may be longer than an index entry can be. */
const hash = (text: string) => `hashtextextended(${text}, 0)`;
const equal = (column: string, parameter: string) =>
  `(${hash(column)} = ${hash(`${parameter}::text`)} and ${column} = ${parameter}::text)`;

/**
 * True for a row that conflicts with the one whose fields are the parameters $1 to $7, and whose claim is forced by $8.
 */
const inTheWay = `(${open} and (
    ${equal("reference", "$2")}
    or (not $8::boolean and (
      ${equal("token", "$3")}
      or (${equal("trace_id", "$4")} and search_token = $5::text and result = $6::integer)
      or fingerprint = nullif($7::text, '')))))`;

/**
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
function journalStatementsFor(name: string): JournalStatements {
  const { quoted: table, nameOf } = quoteTable(name);
  // Two claims at the same moment do not see each other; they meet in these. What was sent with `force`, or turned out
  // to be booked after it had been closed, stands beside another row: it has no place here, but is seen by every later
  // claim.
  const guard = (suffix: string, columns: string, where: string) =>
    `create unique index if not exists ${nameOf(suffix)} on ${table} (${columns}) where ${open} and not late${where};`;
  const offer = `${hash("trace_id")}, ${hash("search_token")}, result`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    attempt_id text primary key,
    reference text not null,
    token text not null,
    trace_id text not null,
    search_token text not null,
    result integer not null,
    fingerprint text,
    state text not null check (state in ('sent', 'unknown', 'booked', 'rejected')),
    sent_at double precision not null,
    forced boolean not null,
    late boolean not null default false,
    row jsonb not null
  );
  ${guard("one_reference", hash("reference"), "")}
  ${guard("one_token", hash("token"), " and not forced")}
  ${guard("one_offer", offer, " and not forced")}
  ${guard("one_journey", "fingerprint", " and not forced")}
  create index if not exists ${nameOf("reference")} on ${table} (${hash("reference")});
  create index if not exists ${nameOf("token")} on ${table} (${hash("token")}) where ${open};
  create index if not exists ${nameOf("trace")} on ${table} (${hash("trace_id")}) where ${open};
  create index if not exists ${nameOf("journey")} on ${table} (fingerprint) where ${open};
  create index if not exists ${nameOf("pending")} on ${table} (sent_at) where state in ('sent', 'unknown');
end $$`,

    claim: `insert into ${table} (attempt_id, reference, token, trace_id, search_token, result, fingerprint, forced, state, sent_at, row)
select $1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, nullif($7::text, ''), $8::boolean, $9::text, $10::double precision, $11::jsonb
where not exists (select 1 from ${table} where ${inTheWay})
on conflict do nothing
returning ${durably}`,

    conflict: `select row from ${table} where attempt_id = $1::text or ${inTheWay} order by sent_at limit 1`,

    settle: `update ${table} set state = $2::text, row = $3::jsonb, late = late or (state = 'rejected' and $2::text = 'booked')
where attempt_id = $1::text and state = $4::text and (state, $2::text) in (${changes()}) returning ${durably}`,

    find: `select row from ${table} where ${equal("reference", "$1")} order by sent_at`,
    get: `select row from ${table} where attempt_id = $1::text`,
    pending: `select row from ${table} where state in ('sent', 'unknown') order by sent_at`,
  };
}
