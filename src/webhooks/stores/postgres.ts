import { ConfigurationError } from "../../errors/request.ts";
import { causeOf } from "../../shared/error-code.ts";
import { field, isString, parseJson, stringOf } from "../../shared/json.ts";
import { func, type Rule, type Rules, readArguments, readOptions } from "../../shared/options.ts";
import {
  clientRule,
  durably,
  explainPostgresFailure,
  guardPostgres,
  ignoreClientErrors,
  type PooledClient,
  type PostgresLike,
  type PostgresPool,
  type PostgresQuery,
  poolOrQuery,
  quoteTable,
  type TransactionClient,
  tableName,
} from "../../shared/postgres.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { processingError } from "../processing-errors.ts";
import { entryOf, lifeOf, ninetyDays, nonceKey, referenceIn, resultOf, retention, transactionsOf } from "./record.ts";
import type { Claim, StoreEntry, WebhookStore } from "./store.ts";
import { inTransaction, openTransaction } from "./transaction.ts";

/** Options of {@link postgresStore}. */
interface PostgresStoreOptions {
  /** Name of the table, with or without its schema. @default "serviceapi_webhooks" */
  readonly table?: string | undefined;
  /**
   * Milliseconds for which a finished reference is kept, at least an hour. A delivery that comes later takes effect
   * again, unless `findOrder` returns `settled: true`. @default Infinity: kept indefinitely
   */
  readonly retention?: number | undefined;
}

const rules: Rules<PostgresStoreOptions> = { table: tableName, retention };

/** A {@link WebhookStore} in Postgres, with a schema and transactions on the clients of its pool. */
export interface PostgresStore<Client = PostgresLike> extends WebhookStore {
  /** Creates the table and its index if they are missing. Safe to call from several processes at the same time. */
  createSchema(): Promise<void>;
  /** The SQL that {@link PostgresStore.createSchema} runs, for your own migrations. */
  readonly schema: string;
  /**
   * Runs work and commits its claim in one transaction of the pool: both or neither. Then every event has exactly one
   * effect, whatever dies and whenever.
   *
   * @param claim - The `claim` of the handler's context.
   * @param work - Writes the effect with the client of the transaction, awaits its queries, and throws to roll back. A
   *   query on the pool is outside of the transaction. `begin`, `commit`, `rollback` (but to a savepoint) and `release()`
   *   are the store's: the client refuses them, and any query after the work, which fails then.
   * @returns The result of `work`, once it is committed.
   * @throws ConfigurationError if the store has a query function instead of a pool, the handler has begun a transaction on
   *   this claim before, or the work used what its client refuses or did not await a query; what `work` throws; a
   *   WebhookProcessingError if the claim was lost to another, or was committed before (`claimLost`), or Postgres failed
   *   (`storeFailed`). Do not call it again after an error: the commit may have succeeded. A handler that catches the
   *   error is acknowledged `FAILED` all the same.
   *
   * @example
   * ```ts
   * import { Pool } from "pg";
   * import { postgresStore } from "serviceapi/stores";
   * import { Webhooks } from "serviceapi/webhooks";
   *
   * const store = postgresStore(new Pool());
   * const POST = new Webhooks({ auth: "none", store, findOrder: "none" }).handler({
   *   SUCCESS: ({ txn_amount, client_referenceId }, { claim }) =>
   *     store.transaction(claim, (client) =>
   *       client.query("insert into credits (payout, amount) values ($1, $2)", [client_referenceId, txn_amount]),
   *     ),
   *   FAILED() {},
   *   REJECTED() {},
   * });
   * ```
   */
  transaction<Result>(claim: Claim, work: (client: Client) => Promise<Result>): Promise<Result>;
  /**
   * Commits a claim in a transaction that you began, as that of an ORM; {@link PostgresStore.transaction} begins one.
   *
   * @param client - The client on which you began your transaction: one that you took from the pool for it.
   * @returns `complete(claim)`, to be called last. If the claim was lost to another, or was committed before, its
   *   statement fails and it throws: a `commit` after it is a rollback.
   */
  withTransaction(client: TransactionClient): { complete(claim: Claim): Promise<void> };
  /**
   * Deletes finished references that are older than `retention`, nonces that were used more than 90 days ago, and
   * claims whose process died more than 90 days ago. Returns the number of deleted rows. With the default `retention`
   * it deletes no finished reference. It only limits the size of the table.
   */
  deleteExpired(): Promise<number>;
}

/**
 * Returns a store in Postgres, for `pg`, PGlite or anything with the same `query`. Each method is one statement, which
 * is committed when it resolves. Leases use the database's own clock.
 *
 * @param pool - Your pool, or a {@link PostgresQuery}. A single client is refused: in an open transaction of another
 *   part of the application, a rollback would undo what the store has recorded. You close the pool yourself.
 * @param options - See {@link PostgresStoreOptions}.
 * @throws ConfigurationError for an unknown option, an invalid value, or a client in place of a pool. Its methods throw
 *   a WebhookProcessingError (`storeFailed`) if the database fails; the message says what to do about a missing table, a
 *   missing permission or a lost connection.
 *
 * @example
 * ```ts
 * import pg from "pg";
 * import { Webhooks } from "serviceapi/webhooks";
 * import { postgresStore } from "serviceapi/stores";
 *
 * const store = postgresStore(new pg.Pool());
 * await store.createSchema();
 * const webhooks = new Webhooks({ store });
 * ```
 */
export function postgresStore<Client extends PooledClient>(
  pool: PostgresPool<Client> | PostgresQuery,
  options: PostgresStoreOptions = {},
): PostgresStore<Client> {
  readArguments("postgresStore", { pool }, { pool: poolOrQuery });
  const { table = "serviceapi_webhooks", retention = Number.POSITIVE_INFINITY } = readOptions(
    "postgresStore",
    options,
    rules,
  );
  const statements = statementsFor(table);
  const privileges = `select, insert, update and delete on the table ${table}, and usage and update on the sequence ${table}_tokens`;
  const fail = (error: unknown) => {
    const message = `postgresStore: ${explainPostgresFailure(error, table, privileges)}`;
    return processingError("storeFailed", undefined, causeOf(error), message);
  };
  if (typeof pool !== "function") ignoreClientErrors(pool);
  const guarded = guardPostgres(pool, fail);
  const rows = async (statement: string, ...values: unknown[]) => (await guarded.query(statement, values)).rows;
  const run = async (...given: Parameters<typeof rows>) => void (await rows(...given));
  const complete = async (on: PostgresLike, statement: string, { key, effect, token }: Claim, ...more: unknown[]) =>
    (await on.query(statement, [key, token, lifeOf(key, retention), effect, ...more])).rows.length === 1;
  const completeIn = async (transaction: PostgresLike, claimed: Claim, required: string | null) => {
    const failed = (error: unknown) => {
      const text = stringOf(field(error, "message"));
      const [, reason, message] = lapses.find(([value]) => text.includes(value)) ?? [];
      return reason === undefined ? fail(error) : processingError(reason, referenceIn(claimed.key), undefined, message);
    };
    await complete(guardPostgres(transaction, failed), statements.completeHeld, claimed, required);
  };
  const requireCommitted = async (claimed: Claim) => {
    if (await complete(guarded, statements.completeCommitted, claimed)) return;
    const message =
      "postgresStore: the transaction that completes the claim was not committed. Commit it before the handler returns, or throw.";
    throw processingError("storeFailed", referenceIn(claimed.key), undefined, message);
  };
  const find = async (key: string) => readRow((await rows(statements.find, key, lifeOf(key, retention)))[0]);
  return {
    async claim(key, { effect, lease }) {
      const [row] = await rows(statements.claim, key, effect, lease, lifeOf(key, retention));
      if (row === undefined) return resultOf(await find(key));
      const [token, takenOver] = [field(row, "token"), field(row, "taken_over")];
      if (!isString(token) || typeof takenOver !== "boolean") throw new ConfigurationError(unexpected);
      return { kind: "claimed", claim: { key, effect, token }, takenOver };
    },
    complete: (claimed) => complete(guarded, statements.complete, claimed),
    release: ({ key, token }) => run(statements.release, key, token),
    recordConflict: (key, effect) => run(statements.recordConflict, key, effect),
    find,
    forget: (key) => run(statements.forget, key),
    createSchema: () => run(statements.schema),
    schema: statements.schema,
    transaction(claimed, work) {
      // Thrown at once: the error of a promise that the handler does not await would be nobody's.
      readArguments("postgresStore.transaction", { claim: claimed }, { claim: claimRule });
      const [handlers, name] = transactionsOf(claimed);
      const begun = handlers.get(name);
      const isSecond = begun?.length;
      const run = async () => {
        readArguments("postgresStore.transaction", { work }, { work: func });
        if (typeof pool === "function" || typeof pool.connect !== "function") {
          throw new ConfigurationError(
            "postgresStore.transaction: it begins a transaction on a client of the pool, and the store has none. Begin one yourself, and call `withTransaction(client).complete(claim)` last in it.",
          );
        }
        if (isSecond) {
          throw new ConfigurationError(
            "postgresStore.transaction: the handler has begun one on this claim before. Write all in one, and throw its error: the redelivery runs again.",
          );
        }
        return inTransaction(pool, work, (client) => completeIn(client, claimed, openTransaction.value), fail);
      };
      const running = run();
      begun?.push(endingOf(running));
      return running;
    },
    withTransaction(transaction) {
      readArguments("postgresStore.withTransaction", { client: transaction }, { client: clientRule });
      return {
        complete(claimed) {
          readArguments("postgresStore.withTransaction", { claim: claimed }, { claim: claimRule });
          const completing = completeIn(transaction, claimed, null);
          const [handlers, name] = transactionsOf(claimed);
          handlers.get(name)?.push(endingOf(completing, () => requireCommitted(claimed)));
          return completing;
        },
      };
    },
    deleteExpired: async () =>
      (await rows(statements.deleteExpired, Number.isFinite(retention) ? retention : null)).length,
  };
}

/** Returns the end of a transaction: the delivery waits for it and reports its error, also if the handler does not await it. */
function endingOf(running: Promise<unknown>, then?: () => Promise<void>) {
  ignoreRejection(running);
  return () => running.then(then);
}

const claimRule: Rule = (value) =>
  isString(field(value, "key")) && isString(field(value, "token")) ? undefined : "must be the `claim` of the handler";

function readRow(row: unknown): StoreEntry | undefined {
  if (row === undefined) return undefined;
  const conflicts = field(row, "conflicts");
  const list = isString(conflicts) && parseJson(conflicts);
  return entryOf(unexpected, field(row, "state"), field(row, "effect"), list);
}

const unexpected =
  "postgresStore: Postgres returned an unexpected row. Pass a client that leaves the names and types of columns as they are.";

/** The values on which the statement fails that completes a claim in a transaction, and the transaction with it. */
const lapses = [
  [
    "the claim was lost",
    "claimLost",
    "The claim was lost to another after `claimLease`, or was committed before. This transaction is rolled back, so that nothing is done twice.",
  ],
  [
    "the transaction was ended",
    "storeFailed",
    "postgresStore.transaction: a statement of the work has ended the transaction, as `commit` in a string of several statements does. What was committed before stays, and the redelivery writes it again: check the payout, and leave the end to the store.",
  ],
] as const;

const now = "clock_timestamp()";
const milliseconds = (parameter: string) => `${parameter}::double precision * interval '1 millisecond'`;
/** When a row of now may be deleted. A retention of null is indefinite, also for rows that had an end before. */
const expiry = (retention: string) => `coalesce(${now} + ${milliseconds(retention)}, 'infinity')`;
/** When a claim of now may be deleted, should its process die. */
const abandoned = `${now} + ${milliseconds("$3")} + ${milliseconds(String(ninetyDays))}`;
const hasExpired = (row: string, retention: string) =>
  `${retention}::double precision is not null and ${row}expires_at <= ${now}`;

/** A row of a nonce is deleted at its end, independently of the retention of references. */
const isNonce = `starts_with(key, '${nonceKey("")}')`;

/**
 * Returns the SQL of the Postgres store, for one table.
 *
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
function statementsFor(name: string) {
  const { quoted: table, nameOf, fullNameOf } = quoteTable(name);
  const tokens = fullNameOf("tokens");
  // Microseconds since 1970, which grow over a failover that has lost the latest values of the sequence. The sequence
  // follows the clock: it grows if the clock steps back, and where a clock has milliseconds only, as PGlite's.
  const complete = `update ${table} set state = 'done', effect = $4, expires_at = ${expiry("$3")}
where key = $1 and token = $2::bigint`;
  const token = `setval('${tokens}', greatest(nextval('${tokens}'), (extract(epoch from ${now}) * 1000000)::bigint))`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    key text primary key,
    state text not null check (state in ('claimed', 'done')),
    effect text not null,
    token bigint not null,
    leased_until timestamptz not null,
    expires_at timestamptz not null,
    conflicts text[] not null default '{}'
  );
  create sequence if not exists ${tokens};
  create index if not exists ${nameOf("expiry")} on ${table} (expires_at);
end $$`,

    // `xmax` is 0 for a row that was inserted, and a query here sees the row as it was before.
    claim: `insert into ${table} as found (key, state, effect, token, leased_until, expires_at)
values ($1, 'claimed', $2, ${token}, ${now} + ${milliseconds("$3")}, ${abandoned})
on conflict (key) do update set
  state = 'claimed', effect = excluded.effect, token = greatest(excluded.token, found.token + 1),
  leased_until = ${now} + ${milliseconds("$3")}, expires_at = ${abandoned}, conflicts = '{}'
where (found.state = 'claimed' and found.leased_until <= ${now})
  or (found.state = 'done' and ${hasExpired("found.", "$4")})
returning token::text as token, ${durably},
  xmax <> 0 and exists (select from ${table} where key = $1 and state = 'claimed') as taken_over`,

    recordConflict: `update ${table} set conflicts = array_append(conflicts, $2)
where key = $1 and state = 'done' and not ($2 = any (conflicts)) returning ${durably}`,

    find: `select state, effect, array_to_json(conflicts)::text as conflicts from ${table}
where key = $1 and not (state = 'done' and ${hasExpired("", "$2")})`,

    // Also one that is done: a handler completes its claim in `transaction`, and its delivery once more after it. In a
    // transaction not, because the effect would be written again with it.
    complete: `${complete} returning ${durably}`,
    // Fails in Postgres, so that the transaction cannot be committed although nobody awaits this. In parts, because a
    // client may quote the statement in every error.
    completeHeld: `with done as (${complete} and state = 'claimed' returning ${durably} as durably)
select (case when $5 <> coalesce(current_setting('${openTransaction.setting}', true), '') then 'the transaction was' || ' ended'
  when count(durably) = 0 then 'the claim was' || ' lost' else 'true' end)::boolean as done from done`,
    // What was to be done in a transaction is not done if that was rolled back.
    completeCommitted: `${complete} and state = 'done' returning ${durably}`,

    release: `delete from ${table} where key = $1 and token = $2::bigint and state = 'claimed'`,
    forget: `delete from ${table} where key = $1 returning ${durably}`,
    deleteExpired: `delete from ${table}
where expires_at <= ${now} and case state
  when 'claimed' then leased_until <= ${now} - ${milliseconds(String(ninetyDays))}
  else ${isNonce} or $1::double precision is not null end
returning key`,
  };
}
