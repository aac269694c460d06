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
import {
  type BookingJournal,
  type ClaimOptions,
  checkKey,
  checkRow,
  conflictsWith,
  type JournalRow,
  keyOf,
  keysOf,
  lifeOfRow,
  readRow,
} from "./journal.ts";

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
 * processes and machines. Each step is written by one statement, which is committed when it resolves. Claims come one after
 * the other: each waits for those before it, and sees them. If the default isolation is stricter than `read committed`,
 * a claim is refused: it would not see what it waited for.
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

function journalOn(client: PostgresLike, statements: Statements): BookingJournal {
  const owner = "postgresJournal";
  const rows = async (statement: string, ...values: unknown[]) => (await client.query(statement, values)).rows;
  const read = async (statement: string, ...values: unknown[]) => (await rows(statement, ...values)).map(rowOf);
  /** A row and its keys, as they are written. */
  const written = (row: JournalRow) => [JSON.stringify(checkRow(owner, row)), JSON.stringify(keysOf(row))];
  const inTheWay = (others: readonly JournalRow[], row: JournalRow, options: ClaimOptions) =>
    others.find((one) => one.attemptId === row.attemptId || conflictsWith(one, row, options) !== undefined);
  return {
    conflict: async (row, options) => inTheWay(await read(statements.conflict, ...written(row)), row, options),
    async claim(row, { force }) {
      const given = written({ ...row, ...(force === true && { forced: true }) });
      /** Rows that share a key, and do not conflict in their state. */
      const cleared: string[] = [];
      for (;;) {
        const found = await rows(statements.claim, ...given, JSON.stringify(cleared));
        if (field(found[0], "row") === null) return undefined;
        const others = found.map(rowOf);
        const other = inTheWay(others, row, { force });
        if (other !== undefined) return other;
        if (others.length === 0) throw new ConfigurationError(`${owner}: the client returned no row for a claim.`);
        cleared.push(...others.map(({ attemptId, state }) => `${state} ${attemptId}`));
      }
    },
    settle: async (row, from) => (await rows(statements.settle, ...written(row), from)).length === 1,
    async find(reference) {
      const key = JSON.stringify([keyOf(checkKey(owner, "clientReferenceId", reference))]);
      return (await read(statements.find, key)).filter((row) => row.clientReferenceId === reference);
    },
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
 * The SQL of the journal. A row is stored as JSON, with its keys; the other columns are generated from it. Rows are found by
 * keys alone: whether two conflict is decided by `conflictsWith`, as in every journal.
 *
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
function statementsFor(name: string) {
  const { quoted: table, nameOf, fullNameOf } = quoteTable(name);
  const claimRow = fullNameOf("claim");
  const others = `select row from ${table} where (attempt_id = $1::jsonb->>'attemptId' or (${standing} and keys && ${hashes("$2")}))`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    row jsonb not null,
    keys bigint[] not null,
    attempt_id text primary key generated always as (row->>'attemptId') stored,
    state text not null check (state in ('sent', 'unknown', 'booked', 'rejected')) generated always as (row->>'state') stored,
    sent_at double precision not null generated always as ((row->>'sentAt')::double precision) stored
  );
  create index if not exists ${nameOf("keys")} on ${table} using gin (keys) with (fastupdate = off);
  create index if not exists ${nameOf("pending")} on ${table} (sent_at) where ${open};
  create or replace function ${claimRow}(jsonb, jsonb, jsonb) returns setof jsonb language plpgsql as $claim$ begin
    if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
      raise exception 'A claim needs the isolation read committed: otherwise it does not see the claims that it waits for.';
    end if;
    -- No migration replaces the table behind this lock. Behind the next one, which is of the table by whatever name, a claim
    -- sees those before it.
    lock table ${table} in row exclusive mode;
    perform pg_advisory_xact_lock(hashtext('serviceapi'), '${table}'::regclass::oid::int);
    return query ${others} and not $3 @> to_jsonb(state || ' ' || attempt_id) order by sent_at;
    if not found then
      insert into ${table} (row, keys) values ($1, ${hashes("$2")});
      perform ${durably};
      return next null;
    end if;
  end $claim$;
end $$`,
    conflict: `${others} order by sent_at`,
    // The rows that may conflict, without those in $3; a null for a claim that was written, because there is none.
    claim: `select ${claimRow}($1::jsonb, $2::jsonb, $3::jsonb) as row`,
    settle: `update ${table} set row = $1::jsonb, keys = ${hashes("$2")}
where attempt_id = $1::jsonb->>'attemptId' and state = $3::text and (state, $1::jsonb->>'state') in (${changes}) returning ${durably}`,
    find: `select row from ${table} where keys @> ${hashes("$1")} order by sent_at`,
    get: `select row from ${table} where attempt_id = $1::text`,
    pending: `select row from ${table} where ${open} order by sent_at`,
  };
}

/** The changes of a row, from its state to another. */
const changes = Object.entries(lifeOfRow)
  .flatMap(([from, states]) => states.map((state) => `('${from}', '${state}')`))
  .join(", ");

const open = "state in ('sent', 'unknown')";
const standing = "state in ('sent', 'unknown', 'booked')";

/** Keys, passed as JSON, for the index, whose entries cannot be as long as tokens. Two may share a hash. */
const hashes = (keys: string) =>
  `array(select hashtextextended(one, 0) from jsonb_array_elements_text(${keys}::jsonb) one)`;
