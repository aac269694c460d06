/** The part of `pg` that the guides use, over a Postgres in this process, with the tables that they presuppose. */
import { PGlite } from "@electric-sql/pglite";

const tables = `
  create table credits (payout text not null, amount numeric not null);
  create table orders (reference text primary key, pnr text, amount numeric, status text not null default 'OPEN');
  insert into orders (reference, amount) values ('order-17', 8500);
`;

const opened = PGlite.create().then(async (database) => {
  await database.exec(tables);
  return database;
});

export class Client {
  async query(text: string, values?: unknown[]) {
    const result = await (await opened).query(text, values);
    return { ...result, rowCount: result.affectedRows };
  }

  async connect(): Promise<void> {
    await opened;
  }

  async end(): Promise<void> {}
}

export class Pool {
  readonly totalCount = 1;

  on(): this {
    return this;
  }

  async query(text: string, values?: unknown[]) {
    return (await opened).query(text, values);
  }

  async connect() {
    return Object.assign(new Client(), { on: () => {}, off: () => ({ release() {} }), release() {} });
  }

  async end(): Promise<void> {}
}
