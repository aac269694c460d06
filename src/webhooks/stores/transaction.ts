import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
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
 * @param work - Has the client until it settles, without what would begin or end the transaction.
 * @param complete - Requires {@link openTransaction}.
 */
export async function inTransaction<Client extends PooledClient, Result>(
  pool: PostgresPool<Client>,
  work: (client: Client) => Promise<Result>,
  complete: (client: PostgresLike) => Promise<void>,
  fail: (error: unknown) => Error,
): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw fail(error);
  });
  const loan = new Loan(client);
  const own: PostgresLike = { query: (...given) => loan.run(...given) as ReturnType<PostgresLike["query"]> };
  const guarded = guardPostgres(own, fail);
  let isCommitted = false;
  try {
    await guarded.query("begin");
    await guarded.query(`set local ${openTransaction.setting} = '${openTransaction.value}'`);
    const result = await work(loan.client);
    await loan.end();
    await complete(own);
    const { command = "COMMIT" } = await guarded.query("commit");
    // If a statement has failed, Postgres rolls back instead (pg reports the tag of the command).
    isCommitted = command === "COMMIT";
    if (!isCommitted) throw fail(Object.assign(new Error("rolled back"), { code: "40000" }));
    return result;
  } finally {
    loan.isOver = true;
    client.release(!isCommitted);
  }
}

/** The statements that begin or end a transaction; with `rollback to` the work goes back to a savepoint. */
const bounds =
  /^(?:[\s;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*(begin|start|commit|end|abort|prepare\s+transaction|rollback(?!\s+(?:(?:work|transaction)\s+)?to\b))\b/i;

/** A client that work has until it settles. A refusal that the work caught fails it all the same, as an error of Postgres. */
class Loan<Client extends PooledClient> {
  /** The client, whose other members stay. */
  readonly client: Client;
  isOver = false;
  readonly #taken: PooledClient;
  readonly #running = new Set<Promise<unknown>>();
  #failure: unknown;
  #refusal: ConfigurationError | undefined;

  constructor(client: Client) {
    this.#taken = client;
    const refused = (name: string) => () => {
      throw this.#refuse(name);
    };
    const kept = new Map<string | symbol, unknown>([
      ["query", (...given: unknown[]) => this.#query(given)],
      ["release", refused("release()")],
      ["end", refused("end()")],
    ]);
    this.client = new Proxy(client, { get: (target, name) => kept.get(name) ?? Reflect.get(target, name) });
  }

  /** Ends the loan of work that has returned. */
  async end(): Promise<void> {
    this.isOver = true;
    if (this.#running.size > 0) this.#refuse();
    // Else closing the connection would reject them where nobody listens.
    await Promise.allSettled(this.#running);
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  #query(given: readonly unknown[]): unknown {
    const text = isString(given[0]) ? given[0] : field(given[0], "text");
    const [, bound] = (isString(text) && bounds.exec(text)) || [];
    if (bound === undefined && !this.isOver) return this.run(...given);
    return Promise.reject(this.#refuse(this.isOver ? undefined : bound));
  }

  /** Runs a query in any form that the client takes. The error that follows a failed statement says which that was. */
  run(...given: readonly unknown[]): unknown {
    const returned: unknown = Reflect.apply(this.#taken.query, this.#taken, given);
    if (typeof Object(returned).then !== "function") return returned;
    const running = Promise.resolve(returned)
      .catch((error: unknown) => {
        if (errorCodeOf(error) !== "25P02") this.#failure = error;
        else if (this.#failure !== undefined) Object.assign(Object(error), { cause: this.#failure });
        throw error;
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
    return running;
  }

  /** @param name - The statement or method that the work must not use; undefined for a query that it did not await. */
  #refuse(name?: string): ConfigurationError {
    const complaint =
      name === undefined
        ? "the work has returned without waiting for a query. Await every query of the work."
        : `\`${name.toLowerCase()}\` in the work was refused. The store begins and ends the transaction, and releases its client: throw to roll back, or use a savepoint.`;
    this.#refusal ??= new ConfigurationError(`postgresStore.transaction: ${complaint}`);
    return this.#refusal;
  }
}
