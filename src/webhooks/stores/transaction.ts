import { ConfigurationError } from "../../errors/request.ts";
import { field, isString } from "../../shared/json.ts";
import { guardPostgres, type PooledClient, type PostgresLike, type PostgresPool } from "../../shared/postgres.ts";

/**
 * Stands for as long as the transaction does, so that a statement can require it. As `set`, it leaves the work the choice
 * of an isolation level, which a query would take from it.
 */
export const openTransaction = { setting: "serviceapi.transaction", value: "open" } as const;

/**
 * Runs work, and then what completes it, in a transaction on a client of the pool. Unless the commit succeeds, the
 * connection is closed, which ends the transaction.
 *
 * @param complete - Requires {@link openTransaction}.
 */
export async function inTransaction<Client extends PooledClient, Result>(
  pool: PostgresPool<Client>,
  work: (client: Client) => Promise<Result>,
  complete: (client: PostgresLike) => Promise<unknown>,
  fail: (error: unknown) => Error,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw fail(error);
  });
  const guarded = guardPostgres(client, fail);
  const { lent, end } = lend(client);
  const rolledBack = (cause: unknown) => fail(Object.assign(new Error("rolled back", { cause }), { code: "40000" }));
  let isCommitted = false;
  try {
    await guarded.query("begin");
    await guarded.query(`set local ${openTransaction.setting} = '${openTransaction.value}'`);
    const result = await work(lent);
    const { refusal, failure } = end();
    if (refusal !== undefined) throw refusal;
    if (failure !== undefined) throw rolledBack(failure);
    await complete(client);
    const { command = "COMMIT" } = await guarded.query("commit");
    // If a statement has failed, Postgres rolls back instead (pg reports the tag of the command).
    isCommitted = command === "COMMIT";
    if (!isCommitted) throw rolledBack(undefined);
    return result;
  } finally {
    end();
    client.release(!isCommitted);
  }
}

/** The statements that begin or end a transaction; with `rollback to` the work goes back to a savepoint. */
const bounds =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

/** Returns the client for work, until `end` is called. What it refuses fails the work that catches it, too. */
function lend<Client extends PooledClient>(client: Client) {
  const running = new Set<Promise<unknown>>();
  let isOver = false;
  let refusal: ConfigurationError | undefined;
  let failure: unknown;
  const refuse = (used: string | undefined) => {
    const complaint = isOver
      ? "the work has returned without waiting for a query. Await every query of the work."
      : `\`${used?.toLowerCase()}\` in the work was refused. The store begins and ends the transaction, and releases its client: throw to roll back, or use a savepoint.`;
    refusal ??= new ConfigurationError(`postgresStore.transaction: ${complaint}`);
    return refusal;
  };
  const query = (...given: unknown[]): unknown => {
    const text = isString(given[0]) ? given[0] : field(given[0], "text");
    const bound = isString(text) ? bounds.exec(text)?.[1] : undefined;
    if (isOver || bound !== undefined) {
      const error = refuse(bound);
      const callback = given.at(-1);
      if (typeof callback === "function") return callback(error);
      const refused = Promise.reject(error);
      // The transaction fails with it, whether or not the work awaits it. After the work, nothing else reports it.
      if (!isOver) refused.catch(() => {});
      return refused;
    }
    const returned: unknown = Reflect.apply(client.query, client, given);
    // With a callback, or as a cursor, it is not a promise.
    if (typeof Object(returned).then !== "function") return returned;
    const query = Promise.resolve(returned).finally(() => running.delete(query));
    running.add(query);
    // After a failure, Postgres accepts nothing until the work goes back to a savepoint.
    query.then(
      () => (failure = undefined),
      (error: unknown) => (failure ??= error),
    );
    return query;
  };
  const refused = (used: string) => () => {
    throw refuse(used);
  };
  const kept = { query, release: refused("release()"), end: refused("end()") };
  return {
    lent: new Proxy(client, { get: (target, name) => Reflect.get(Object.hasOwn(kept, name) ? kept : target, name) }),
    end() {
      isOver = true;
      if (running.size > 0) refuse(undefined);
      return { refusal, failure };
    },
  };
}
