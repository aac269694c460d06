import { inspect } from "node:util";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { describe, expect, it } from "vitest";
import { memoryStore, type WebhookStore, Webhooks } from "../../../src/webhooks/index.ts";
import { postgresStore } from "../../../src/webhooks/stores/postgres.ts";
import { redisStore } from "../../../src/webhooks/stores/redis.ts";
import { errorOf } from "../../support/client.ts";
import { throws } from "../../support/throws.ts";
import { methods } from "./methods.ts";

describe("redisStore on a Redis that fails", () => {
  it.each(Object.entries(methods))(
    "%s on a refused connection says so, without the URL (ioredis)",
    async (_name, call) => {
      const redis = new Redis("redis://shop:a-password@127.0.0.1:1", { maxRetriesPerRequest: 0, retryStrategy: null });
      redis.on("error", () => {});
      const failure = await errorOf(call(redisStore(redis)), Error);
      redis.disconnect();
      expect(failure).toMatchObject({ name: "WebhookProcessingError", reason: "storeFailed" });
      expect(failure.message).toMatch(/^redisStore: Redis cannot be reached\./);
      expect(inspect(failure)).not.toMatch(/a-password|shop/);
    },
  );

  it("says so of a node-redis client that is not connected", async () => {
    const failure = await errorOf(new Webhooks({ store: redisStore(createClient()) }).find("a"), Error);
    expect(failure.message).toMatch(/^redisStore: Redis cannot be reached\./);
  });

  it.each([
    ["NOAUTH Authentication required.", /user name or password/],
    ["WRONGPASS invalid username-password pair", /user name or password/],
    ["NOPERM this user has no permissions to run the 'eval' command", /no permission/],
    ["READONLY You can't write against a read only replica.", /read-only/],
    ["OOM command not allowed when used memory > 'maxmemory'.", /no memory left/],
    ["LOADING Redis is loading the dataset in memory", /not ready/],
    ["WRONGTYPE Operation against a key holding the wrong kind of value", /another `prefix`/],
    ["UNREADABLE row", /written to it.*Find out whether it took effect/],
    ["Command timed out", /command timeout of the client/],
    ["ERR something else", /failed\. See `cause`/],
  ])("explains %j", async (reply, message) => {
    const cause = new Error(reply);
    const store = redisStore({ eval: async () => Promise.reject(cause) });
    expect(await errorOf(store.find("payout:a"), Error)).toMatchObject({
      reason: "storeFailed",
      cause,
      message: expect.stringMatching(message),
    });
  });
});

describe("redisStore on a client that keeps its commands on its errors, as ioredis does", () => {
  it("shows no password", async () => {
    const command = { name: "hello", args: ["3", "AUTH", "user", "a-password"] };
    const refused = Object.assign(new Error("WRONGPASS invalid username-password pair"), { command });
    const failure = await errorOf(redisStore({ eval: () => Promise.reject(refused) }).find("payout:a"), Error);
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("a-password");
    expect(JSON.stringify(failure.cause)).not.toContain("a-password");
    expect(failure.cause).toMatchObject({ message: refused.message });
  });
});

describe("an error of a client whose fields are objects", () => {
  const odd = { toString: 1, valueOf: 1 };
  const refused = Object.assign(new Error(), { message: odd, name: odd, stack: odd, code: odd });

  it.each<[string, WebhookStore]>([
    ["redisStore", redisStore({ eval: () => Promise.reject(refused) })],
    ["postgresStore", postgresStore(() => Promise.reject(refused))],
  ])("is explained all the same: %s", async (_name, store) => {
    expect(await errorOf(store.find("payout:a"), Error)).toMatchObject({
      name: "WebhookProcessingError",
      reason: "storeFailed",
    });
  });
});

describe("webhooks.find and forget on a store that fails", () => {
  const failed = { name: "WebhookProcessingError", reason: "storeFailed", clientReferenceId: "order-17" };
  const errorWith = (store: WebhookStore, method: "find" | "forget") =>
    errorOf(new Webhooks({ store })[method]("order-17"), Error);

  it.each(["find", "forget"] as const)("%s gives an error of the application's own store a type", async (method) => {
    const cause = new Error("of the store");
    const store = Object.assign(memoryStore(), { find: () => Promise.reject(cause), forget: throws(cause) });
    const message = `webhooks.${method}: the store failed. See \`cause\`.`;
    expect(await errorWith(store, method)).toMatchObject({ ...failed, cause, message });
  });

  it.each(["find", "forget"] as const)("%s adds the reference to an error of the library's store", async (method) => {
    const message = "NOAUTH Authentication required.";
    expect(await errorWith(redisStore({ eval: () => Promise.reject(new Error(message)) }), method)).toMatchObject({
      ...failed,
      cause: { message },
      message: expect.stringMatching(/^redisStore: Redis refused the user name or password/),
    });
  });

  it("pass a mistake of the program on as it is", async () => {
    const failure = await errorWith(redisStore({ eval: async () => "OK" }), "find");
    expect(failure).toMatchObject({ name: "ConfigurationError", message: expect.stringMatching(/^redisStore: /) });
  });
});
