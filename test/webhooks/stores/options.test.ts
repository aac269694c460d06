import pg from "pg";
import { describe, expect, it } from "vitest";
import { memoryStore } from "../../../src/webhooks/index.ts";
import { postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../../src/webhooks/stores/redis.ts";
import { autocommit } from "../../support/autocommit.ts";
import { pollute } from "../../support/pollute.ts";
import { refusalOf } from "../../support/refusal.ts";

const redis = { eval: async () => null };
const postgres = { query: async () => ({ rows: [] }) };
const stores: Record<string, (options?: object) => unknown> = {
  memoryStore: (options) => memoryStore(options as never),
  redisStore: (options) => redisStore(redis, options as never),
  postgresStore: (options) => postgresStore(autocommit(postgres), options as never),
};

describe.each(Object.entries(stores))("the options of %s", (name, make) => {
  it.each([
    Number.NaN,
    0,
    -1,
    1,
    3_599_999,
    "7d",
    "86400000",
    null,
    3_600_000.5,
    36_500 * 86_400_000 + 1,
    Number.NEGATIVE_INFINITY,
    {},
  ])("refuse a retention of %s", (retention) => {
    expect(refusalOf(() => make({ retention }))).toMatch(
      new RegExp(`^${name}: \`retention\` must be an integer number of milliseconds between 3600000 \\(one hour\\)`),
    );
  });

  it.each([3_600_000, 90 * 86_400_000, 36_500 * 86_400_000, Number.POSITIVE_INFINITY, undefined])(
    "take a retention of %s",
    (retention) => {
      expect(refusalOf(() => make({ retention }))).toBe("accepted");
    },
  );

  it.each(["retentionMs", "Retention", "prefx", "tabel"])("refuse the unknown name %s", (unknown) => {
    expect(refusalOf(() => make({ [unknown]: 1 }))).toContain(`${name}: unknown option "${unknown}"`);
  });

  it.each([null, "options", 7])("refuse %s in place of an object", (options) => {
    expect(refusalOf(() => make(options as never))).toBe(`${name}: the options must be an object.`);
  });

  it("are read from own properties only", () => {
    pollute({ retention: Number.NaN });
    expect(refusalOf(() => make({}))).toBe("accepted");
  });
});

describe("options of a single store", () => {
  it.each([
    ["maxRecords", 0],
    ["maxRecords", Number.NaN],
    ["maxRecords", Number.POSITIVE_INFINITY],
    ["now", 5],
  ])("memoryStore refuses %s: %s", (name, value) => {
    expect(refusalOf(() => memoryStore({ [name]: value }))).toContain(`memoryStore: \`${name}\``);
  });

  it.each([7, null])("redisStore refuses a prefix that is %s", (prefix) => {
    expect(refusalOf(() => redisStore(redis, { prefix } as never))).toBe("redisStore: `prefix` must be a string.");
  });

  it.each([undefined, null, {}, { query: () => {} }])("redisStore refuses %s for a client", (client) => {
    expect(refusalOf(() => redisStore(client as never))).toMatch(/^redisStore: `client`/);
  });

  it("postgresStore refuses a single client, on which somebody else may have begun a transaction", () => {
    expect(refusalOf(() => postgresStore(new pg.Client() as never))).toMatch(/^postgresStore: `pool` must be a pool/);
    expect(refusalOf(() => postgresStore(postgres as never))).toContain("(text, values) => db.query(text, values)");
    expect(() => postgresStore(new pg.Pool())).not.toThrow();
  });

  it("postgresStore refuses a pool for a transaction: it would commit the claim on another connection than its effect", () => {
    // @ts-expect-error It needs a client.
    expect(refusalOf(() => postgresStore(new pg.Pool()).withTransaction(new pg.Pool()))).toMatch(
      /^postgresStore\.withTransaction: `client` must be the client on which your transaction was begun, such as that of `pool\.connect\(\)`/,
    );
    expect(() => postgresStore(new pg.Pool()).withTransaction(new pg.Client())).not.toThrow();
  });

  it.each([undefined, null, {}, { eval: () => {} }])("postgresStore refuses %s for a client", (client) => {
    expect(refusalOf(() => postgresStore(client as never))).toMatch(
      /^postgresStore: `pool` (is missing|must be a pool)/,
    );
    expect(refusalOf(() => postgresStore(autocommit(postgres)).withTransaction(client as never))).toMatch(
      /^postgresStore.withTransaction: `client`/,
    );
  });
});
