import { describe, expect, it } from "vitest";
import { type IoRedisLike, type NodeRedisLike, redisStore } from "../../../src/webhooks/stores/redis.ts";
import { methods } from "./methods.ts";

// The scripts themselves run on a real Redis alone (npm run test:stores); these tests cover what each client is passed.
const request = { effect: "SUCCESS", lease: 10 };

describe("redisStore", () => {
  it("calls ioredis with the key among the arguments", async () => {
    const calls: unknown[][] = [];
    const client: IoRedisLike = {
      defineCommand: () => {},
      eval: async (_script, ...rest) => {
        calls.push(rest);
        return ["claimed", "7", 1];
      },
    };
    expect(await redisStore(client, { prefix: "p:", retention: 3_600_000 }).claim("k", request)).toEqual({
      kind: "claimed",
      claim: { key: "k", effect: "SUCCESS", token: "7" },
      takenOver: true,
    });
    expect(calls).toEqual([
      [1, "p:k", "SUCCESS", "10", String(10 + 90 * 86_400_000), expect.stringMatching(/^.{36}$/)],
    ]);
  });

  it("calls node-redis with keys and arguments apart", async () => {
    const calls: unknown[] = [];
    const client: NodeRedisLike = {
      eval: async (_script, options) => {
        calls.push(options);
        return 1;
      },
    };
    expect(
      await redisStore(client, { prefix: "p:", retention: 3_600_000 }).complete({ key: "k", effect: "S", token: "7" }),
    ).toBe(true);
    expect(calls).toEqual([{ keys: ["p:k"], arguments: ["7", "3600000", "S"] }]);
  });

  it.each([
    [["done", "FAILED", "SUCCESS"], { kind: "done", effect: "FAILED", conflicts: ["SUCCESS"] }],
    [["done", "SUCCESS"], { kind: "done", effect: "SUCCESS", conflicts: [] }],
    [["inFlight"], { kind: "inFlight" }],
    [["claimed", 7, 0], { kind: "claimed", claim: { key: "k", effect: "SUCCESS", token: "7" }, takenOver: false }],
    [["claimed", "7", 0], { kind: "claimed", claim: { key: "k", effect: "SUCCESS", token: "7" }, takenOver: false }],
  ])("reads %j", async (reply, result) => {
    expect(await redisStore({ eval: async () => reply }).claim("k", request)).toEqual(result);
  });

  it("keeps the names of its keys from version to version", async () => {
    const keys: unknown[] = [];
    await redisStore({ eval: async (_script: string, options) => keys.push(options.keys) } as NodeRedisLike).forget(
      "k",
    );
    expect(keys).toEqual([["serviceapi:webhooks:k"]]);
  });

  it.each(Object.entries(methods))("%s runs the function of its name", async (name, call) => {
    let script = "";
    const client: NodeRedisLike = { eval: async (given) => (script = given) };
    await call(redisStore(client)).catch(() => {});
    expect(script.split("\n").at(-1)).toBe(`return ${name.split(".").at(-1)}(unpack(ARGV))`);
  });

  it.each([
    [null],
    ["OK"],
    [[]],
    [[Buffer.from("claimed"), Buffer.from("7"), 0]],
    [["done", null]],
    [["done", "FAILED", 1]],
    [["claimed", "7"]],
    [["claimed", "7", "1"]],
    [["claimed", 7.5, 0]],
    [["done", 7, 0]],
    [["free", "7", 0]],
  ])("refuses the reply %j", async (reply) => {
    await expect(redisStore({ eval: async () => reply }).claim("k", request)).rejects.toThrow(/Buffer mode/);
  });

  it.each([["done", "FAILED", "SUCCESS"], ["claimed", "FAILED"], []])(
    "finds the reply %s, %s, %s",
    async (...reply) => {
      const [state, effect, ...conflicts] = reply;
      const entry = await redisStore({ eval: async () => reply }).find("k");
      expect(entry).toEqual(state === undefined ? undefined : { state, effect, conflicts });
    },
  );

  it.each([
    [null],
    ["OK"],
    [[Buffer.from("done"), Buffer.from("SUCCESS")]],
    [["done", null]],
    [["free", "SUCCESS"]],
    [["done", "FAILED", "SUCCESS", null]],
  ])("refuses the entry %j", async (reply) => {
    await expect(redisStore({ eval: async () => reply }).find("k")).rejects.toThrow(/Buffer mode/);
  });

  it("keeps a row indefinitely with `retention: Infinity`, and a nonce for 90 days", async () => {
    const given: unknown[] = [];
    const client: NodeRedisLike = {
      eval: async (_script, options) => {
        given.push(options.arguments);
        return 1;
      },
    };
    const store = redisStore(client, { retention: Number.POSITIVE_INFINITY });
    await store.complete({ key: "k", effect: "S", token: "7" });
    await store.complete({ key: "nonce:n", effect: "NONCE", token: "8" });
    expect(given).toEqual([
      ["7", "", "S"],
      ["8", String(90 * 86_400_000), "NONCE"],
    ]);
  });
});
