import { ConfigurationError } from "../../errors/request.ts";
import { field, parseJson } from "../../shared/json.ts";
import { type Rules, readArguments, readOptions } from "../../shared/options.ts";
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
  type TransactionClient,
  tableName,
} from "../../shared/postgres.ts";
import { JournalError } from "../errors.ts";
import { type BookingJournal, checkKey, checkRow, type JournalRow, lifeOfRow, readRow } from "./journal.ts";

/** Options of {@link postgresJournal}. */
interface PostgresJournalOptions {
  /** Name of the table, with or without its schema. @default "serviceapi_bookings" */
  readonly table?: string | undefined;
}

/** A {@link BookingJournal} in Postgres. */
export interface PostgresJournal extends BookingJournal {
  /**
   * Creates the table, its indexes and its function if they are missing. Safe to call from many processes at once.
   *
   * @throws {@link JournalError} if the database fails or the user may not create a table; see its `cause`.
   */
  createSchema(): Promise<void>;
  /** The statement that {@link PostgresJournal.createSchema} runs, for your own migrations. */
  readonly schema: string;
  /**
   * Returns the same journal on a client of yours, so that a row is settled in one transaction with your own writes.
   * After a rollback the row is still pending. It has no `claim`, so a checkout refuses it: others see a claim only once
   * it is committed, and a rollback would remove the record of a booking that was sent.
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
  withTransaction(client: TransactionClient): Omit<BookingJournal, "conflict" | "claim">;
}

/**
 * Creates a journal in Postgres, with `pg`, PGlite or another client that has their `query`, for any number of
 * processes and machines. Each step is one statement, which is committed when it resolves. Claims come one after the other:
 * each waits for those before it, and sees them. If `repeatable read` is the default of the database, a claim is refused: it
 * would not see what it waited for.
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
  readArguments("postgresJournal", { pool }, { pool: poolOrQuery });
  const rules: Rules<PostgresJournalOptions> = { table: tableName };
  const { table = "serviceapi_bookings" } = readOptions<PostgresJournalOptions>("postgresJournal", options, rules);
  const statements = statementsFor(table);
  const privileges = `select, insert and update on the table ${table}`;
  const guard = (given: PostgresLike | PostgresQuery) =>
    guardPostgres(given, (cause) => {
      const message = `postgresJournal: ${explainPostgresFailure(cause, table, privileges)}`;
      return new JournalError({ message, cause });
    });
  const guarded = guard(pool);
  return {
    ...journalOn(guarded, statements),
    async createSchema() {
      await guarded.query(statements.schema);
    },
    schema: statements.schema,
    withTransaction(transaction) {
      readArguments("postgresJournal.withTransaction", { client: transaction }, { client: clientRule });
      const { settle, find, get, pending } = journalOn(guard(transaction), statements);
      return { settle, find, get, pending };
    },
  };
}

/** Each step is one statement, which is passed the row as JSON. */
function journalOn(client: PostgresLike, statements: Statements): BookingJournal {
  const owner = "postgresJournal";
  const rows = async (statement: string, ...values: unknown[]) => (await client.query(statement, values)).rows;
  const read = async (statement: string, ...values: unknown[]) => (await rows(statement, ...values)).map(rowOf);
  const json = (row: JournalRow) => JSON.stringify(checkRow(owner, row));
  return {
    conflict: async (row, { force }) => (await read(statements.conflict, json(row), force === true))[0],
    async claim(row, { force }) {
      const claimed = json({ ...row, ...(force === true && { forced: true }) });
      const [found] = await rows(statements.claim, claimed, force === true);
      return field(found, "row") === null ? undefined : rowOf(found);
    },
    settle: async (row, from) => (await rows(statements.settle, json(row), from)).length === 1,
    find: async (reference) => read(statements.find, checkKey(owner, "clientReferenceId", reference)),
    get: async (attemptId) => (await read(statements.get, checkKey(owner, "attemptId", attemptId)))[0],
    pending: () => read(statements.pending),
  };
}

/** `pg` and PGlite parse `jsonb`; other drivers return it as a string. */
function rowOf(found: unknown): JournalRow {
  const value = field(found, "row");
  const row = readRow(typeof value === "string" ? parseJson(value) : value);
  if (row === undefined)
    throw new ConfigurationError("postgresJournal: the table holds a row that is not a JournalRow.");
  return row;
}

type Statements = ReturnType<typeof statementsFor>;

/**
 * The SQL of the journal. A row is stored as JSON, and its columns are generated from it: they cannot differ from it.
 *
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
function statementsFor(name: string) {
  const { quoted: table, nameOf, fullNameOf } = quoteTable(name);
  const claimRow = fullNameOf("claim");
  const other = `select row from ${table} where attempt_id = ${given("attemptId")} or ${inTheWay} order by sent_at limit 1`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(${hash(`'${name}'`)});
  create table if not exists ${table} (
    row jsonb not null,
    ${columns.map(([column, type, value]) => `${column} ${type} generated always as (${value}) stored`).join(",\n    ")}
  );
  create index if not exists ${nameOf("reference")} on ${table} (${hash("reference")});
  create index if not exists ${nameOf("token")} on ${table} (${hash("token")}) where ${standing};
  create index if not exists ${nameOf("trace")} on ${table} (${hash("trace_id")}) where ${standing};
  create index if not exists ${nameOf("journey")} on ${table} (fingerprint) where ${standing};
  create index if not exists ${nameOf("pending")} on ${table} (sent_at) where ${open};
  create or replace function ${claimRow}(jsonb, boolean) returns setof jsonb language plpgsql as $claim$ begin
    -- Behind the lock a claim sees those before it, unless its snapshot is older.
    if current_setting('transaction_isolation') = 'repeatable read' then
      raise exception 'A claim needs the isolation read committed or serializable.';
    end if;
    -- Of the table itself, which may have two names: with its schema and without.
    perform pg_advisory_xact_lock(hashtext('serviceapi'), '${table}'::regclass::oid::int);
    return query with other as (${other}), written as (
      insert into ${table} (row) select $1 where not exists (select 1 from other)
      on conflict do nothing returning ${durably} as durable
    ) select row from other union all select null from written where durable is not null;
  end $claim$;
end $$`,
    conflict: other,
    // One row: the other, or null for a claim that was written.
    claim: `select ${claimRow}($1::jsonb, $2::boolean) as row`,
    settle: `update ${table} set row = $1::jsonb
where attempt_id = ${given("attemptId")} and state = $2::text and (state, ${given("state")}) in (${changes}) returning ${durably}`,
    find: `select row from ${table} where ${equal("reference", "$1::text")} order by sent_at`,
    get: `select row from ${table} where attempt_id = $1::text`,
    pending: `select row from ${table} where ${open} order by sent_at`,
  };
}

const columns = [
  ["attempt_id", "text primary key", "row->>'attemptId'"],
  ["reference", "text not null", "row->>'clientReferenceId'"],
  ["token", "text not null", "row->>'token'"],
  ["trace_id", "text not null", "row->>'traceId'"],
  ["search_token", "text not null", "row->>'searchToken'"],
  ["fingerprint", "text", "nullif(row->>'fingerprint', '')"],
  ["state", "text not null check (state in ('sent', 'unknown', 'booked', 'rejected'))", "row->>'state'"],
  ["sent_at", "double precision not null", "(row->>'sentAt')::double precision"],
] as const;

/** The changes of a row, from its state to another. */
const changes = Object.entries(lifeOfRow)
  .flatMap(([from, states]) => states.map((state) => `('${from}', '${state}')`))
  .join(", ");

const open = "state in ('sent', 'unknown')";
const standing = "state in ('sent', 'unknown', 'booked')";
const journeyOf = (fingerprint: string) => `split_part(${fingerprint}, '.', 1)`;

/** A field of the row that is passed as $1. */
const given = (name: keyof JournalRow) => `($1::jsonb->>'${name}')`;

/** Tokens may be longer than an index entry can be. */
const hash = (text: string) => `hashtextextended(${text}, 0)`;
const equal = (column: string, value: string) => `(${hash(column)} = ${hash(value)} and ${column} = ${value})`;

const [theirs, ours] = ["row->'offers'", "$1::jsonb->'offers'"];
const flightsIn = (offer: string) => `split_part(${offer}, '@', 1)`;
const has = (offers: string, one: string) =>
  `exists (select from jsonb_array_elements_text(${offers}) one where ${flightsIn("one")} = ${flightsIn(`${one}->>0`)})`;
/** Whether the row is of another offer than the row $1, as areApart() says. */
const areApart = `case
          when ${theirs}->0 = ${ours}->0 then false
          when ${flightsIn(`${theirs}->>0`)} = ${flightsIn(`${ours}->>0`)} then ${ours} @> (${theirs}->0)
          else ${theirs}->0 is not null and ${ours}->0 is not null and (${has(theirs, ours)} or ${has(ours, theirs)}) end`;

/** True for a row that conflicts with the row $1, whose claim is forced by $2. */
const inTheWay = `(${standing} and (
    ${equal("reference", given("clientReferenceId"))}
    or (not $2::boolean and (
      ${equal("token", given("token"))}
      or (${equal("trace_id", given("traceId"))} and (
        (search_token = ${given("searchToken")} and not coalesce(${areApart}, false))
        or (${open} and ${journeyOf("fingerprint")} = ${journeyOf(`nullif(${given("fingerprint")}, '')`)})))
      or fingerprint = nullif(${given("fingerprint")}, '')))))`;
