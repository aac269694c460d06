import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../src/shared/explain.ts";
import {
  anyOf,
  anything,
  boolean,
  func,
  group,
  integer,
  listOf,
  milliseconds,
  millisecondsOrFalse,
  nonEmptyString,
  number,
  object,
  objectWith,
  oneOf,
  type Rule,
  readOptions,
  string,
} from "../../src/shared/options.ts";
import { pollute } from "../support/pollute.ts";
import { refusalOf } from "../support/refusal.ts";

const reading = (rule: Rule, one: unknown) =>
  refusalOf(() => readOptions<{ one?: unknown }>("owner", { one }, { one: rule }));

describe("a rule", () => {
  const check = { name: "check", check: func };
  const guard = objectWith("check");

  it.each<[string, Rule, readonly unknown[], readonly unknown[]]>([
    [
      "milliseconds",
      milliseconds(),
      [0, 1.5, 2_147_483_647],
      [Number.NaN, -1, Number.POSITIVE_INFINITY, "5", null, false],
    ],
    ["millisecondsOrFalse", millisecondsOrFalse(1), [1, false], [0, true, Number.NaN, "1", null]],
    ["number", number(0), [0, 0.5], [Number.NaN, Number.POSITIVE_INFINITY, -0.1, "1", null, 1n]],
    ["integer", integer(1, 3), [1, 3], [0, 4, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "2"]],
    ["func", func, [() => {}], [{}, "f", null]],
    ["boolean", boolean, [true, false], [0, 1, "true", null]],
    ["string", string, ["", "a"], [1, null, {}]],
    ["nonEmptyString", nonEmptyString, ["a"], ["", " \n", 1, null]],
    ["object", object, [{}], [null, [], "a", () => {}]],
    ["objectWith", guard, [check], [{}, null, { check: true }, []]],
    ["oneOf", oneOf("a", "b"), ["a"], ["c", "toString", null, ["a"]]],
    ["anyOf", anyOf("must be a or 1", oneOf("a"), oneOf(1)), ["a", 1], ["b", Number.NaN]],
    [
      "listOf",
      listOf(guard),
      [[check]],
      [[], [undefined], [null], [check, undefined], [false], [{}], Array(1), {}, "a"],
    ],
    ["listOf, empty allowed", listOf(string, 0), [[], ["a"]], [[1]]],
    ["group", group<{ a?: unknown }>({ a: string }), [{}, { a: "" }, { a: undefined }], [null, { b: 1 }, { a: 1 }, []]],
    ["anything", anything, [null, Number.NaN], []],
  ])("%s accepts its own kind of value and nothing else", (_name, rule, accepted, refused) => {
    for (const value of accepted) expect(reading(rule, value), String(value)).toBe("accepted");
    for (const value of refused) expect(reading(rule, value), String(value)).toMatch(/^\w+: /);
  });

  it("says which element of a list is wrong, and why", () => {
    expect(reading(listOf(guard), [check, undefined, check])).toBe(
      "owner: `one` has an invalid element at index 1: it must be an object with check().",
    );
    expect(reading(listOf(string), [])).toBe("owner: `one` must not be an empty list.");
  });
});

describe("options as a whole", () => {
  interface Options {
    readonly timeout?: number | undefined;
    readonly secret?: string | undefined;
  }
  const read = (options: unknown, required: readonly (keyof Options)[] = []) =>
    readOptions<Options>("owner", options, { timeout: milliseconds(), secret: string }, required);

  it("are refused unless they are an object", () => {
    for (const options of [null, undefined, "a", 1, [], () => {}]) {
      expect(() => read(options)).toThrow("owner: the options must be an object.");
    }
  });

  it("are refused for an unknown name, with the nearest known one", () => {
    expect(() => read({ time_out: 1 })).toThrow('unknown option "time_out" (did you mean "timeout"?)');
    expect(() => read({ timeotu: 1 })).toThrow('(did you mean "timeout"?)');
    expect(() => read({ secrte: "" })).toThrow('(did you mean "secret"?)');
    expect(() => read({ nothingLikeIt: 1 })).toThrow('unknown option "nothingLikeIt". Known: timeout, secret.');
    expect(() => read({ t: 1 })).toThrow('unknown option "t". Known');
  });

  it("are refused for an unknown name even if its value is undefined", () => {
    expect(() => read({ timeuot: undefined })).toThrow("unknown option");
  });

  it("are refused while a required one is missing or undefined", () => {
    expect(() => read({}, ["secret"])).toThrow("owner: `secret` is missing.");
    expect(() => read({ secret: undefined }, ["secret"])).toThrow("owner: `secret` is missing.");
  });

  it("are read from own properties only: a polluted prototype adds none", () => {
    pollute({ secret: "polluted" });
    expect(read({ timeout: 1 }).secret).toBeUndefined();
    expect(() => read({}, ["secret"])).toThrow("is missing");
  });

  it("are copied: what was checked is what is used", () => {
    const given = { timeout: 1 };
    const options = read(given);
    given.timeout = Number.NaN;
    expect(options.timeout).toBe(1);
  });
});

describe("options that are not own properties", () => {
  const read = (options: object) => readOptions<{ limit?: number }>("owner", options, { limit: number(0) });

  it("are refused if a class has them: a limit must not be dropped", () => {
    class Ask {
      get limit() {
        return 5;
      }
    }
    expect(() => read(new Ask())).toThrow("owner: `limit` is inherited. Pass it as a property of the object itself.");
    expect(() => read(Object.create(Object.create(null, { limit: { value: 5 } })))).toThrow("is inherited");
    expect(read(Object.assign(Object.create({ limit: 1 }), { limit: 5 }))).toEqual({ limit: 5 });
  });

  it("are ignored on Object.prototype, even on that of another realm", () => {
    expect(read(runInNewContext("Object.prototype.limit = 5; ({})"))).toEqual({});
    expect(read(Object.create(null))).toEqual({});
  });

  it("a method that every object has is not one of the object's own", () => {
    pollute({ claim: () => true });
    expect(objectWith("claim")({}, "store")).toBe("must be an object with claim()");
  });
});

describe("the names that a message quotes", () => {
  it("are at most five, and 40 characters of each", () => {
    const names = ["x".repeat(160_000), ..."abcdef"].map((name) => [name, 1]);
    expect(() => readOptions("owner", Object.fromEntries(names), {})).toThrow(
      `owner: unknown option "${"x".repeat(40)}…", "a", "b", "c", "d", and 2 more. Known: .`,
    );
    const issue = { code: "unrecognized_keys", keys: ["y".repeat(160_000)], input: {} } as const;
    expect(messageOf(issue as never).length).toBeLessThan(200);
  });
});
