/** The properties themselves: a hang breaks one, and an input that broke one does so again when it is read back. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { block } from "../support/clock.ts";
import { temporaryFile } from "../support/temporary-file.ts";
import { type Found, readFound } from "./found.ts";
import { forgetCalls, neverResolved, refusesTyped } from "./inputs.ts";
import { keep, read, tryInputs } from "./property.ts";

const never = () => new Promise<void>(() => {});

describe("a property that stops settling", () => {
  const small = { seed: 1, numRuns: 60, timeout: 20 };
  /** Enough for a first input to begin, also on a busy machine. */
  const short = 200;

  it.each([
    ["in a number of runs", 0, 1_000],
    ["while there is time", 60_000, 1_000],
    ["as its time ends", short, 2 * short],
  ])("is broken by the input, which is not shrunk: %s", async (_when, budget, timeout) => {
    const tried: number[] = [];
    const holds = async (input: number) => {
      tried.push(input);
      if (budget === short || tried.length > 50) await never();
    };
    const { broken } = await tryInputs(fc.nat(), holds, { ...small, budget, timeout });
    expect(broken?.error).toMatchObject({ message: `did not end within ${timeout} ms` });
    expect(broken?.input).toBe(tried.at(-1));
    expect(broken?.report).toContain(String(tried.at(-1)));
    expect(tried).toHaveLength(budget === short ? 1 : 51);
  });

  it.each<[string, () => undefined | Promise<void>]>([
    ["in one go", () => undefined],
    ["before it settles", async () => {}],
  ])("is broken by an input that it computes for too long: %s", async (_how, end) => {
    const holds = () => {
      block(30);
      return end();
    };
    const { broken } = await tryInputs(fc.nat(), holds, { ...small, budget: 0 });
    expect(broken?.error).toMatchObject({ message: "did not end within 20 ms" });
  });

  it("is broken by an error that comes as its time ends", async () => {
    const holds = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2 * short));
      throw new Error("late");
    };
    const { broken } = await tryInputs(fc.constant("the input"), holds, { ...small, timeout: 10_000, budget: short });
    expect(broken).toMatchObject({ input: "the input", error: { message: "late" } });
  });

  it("holds if it settles", async () => {
    expect(await tryInputs(fc.nat(), async () => {}, { ...small, budget: 0, timeout: 10_000 })).toEqual({ inputs: 60 });
  });
});

describe("an input that is kept", () => {
  const folder = () => pathToFileURL(`${dirname(temporaryFile("found"))}/`);
  const one = (input: unknown): Found => ({ file: "saved", property: "holds", input: fc.stringify(input) });

  it.each<[string, unknown]>([
    ["a null prototype", Object.assign(Object.create(null), { a: Object.create(null) })],
    ["a key called __proto__", JSON.parse('{"__proto__":1,"toString":{}}')],
    ["undefined, NaN, an infinity and -0", [undefined, Number.NaN, Number.NEGATIVE_INFINITY, -0]],
    ["a bigint", 10n ** 30n],
    ["bytes", [Uint8Array.of(0, 255), new Uint8Array()]],
    // biome-ignore lint/suspicious/noSparseArray: this is the input.
    ["a sparse list", [1, , 3]],
    ["lone surrogates", "\ud800 \udfff\u2028\u0000"],
    ["a date", new Date(1)],
  ])("is the same when it is read back: %s", (_what, input) => {
    expect(read(fc.stringify(input))).toStrictEqual(input);
    expect(fc.stringify(read(fc.stringify(input)))).toBe(fc.stringify(input));
  });

  it("has a file if it breaks the property once more, and only then", async () => {
    const to = folder();
    const holds = async (input: object) => {
      if (Object.getPrototypeOf(input) === null) throw new Error("no prototype");
    };
    expect(await keep(one({}), holds, to)).toMatch(/^It is not kept/);
    expect(readdirSync(to)).toEqual([]);
    expect(await keep(one(Object.create(null)), holds, to)).toMatch(/^Kept in/);
    const [name = ""] = readdirSync(to);
    expect(JSON.parse(readFileSync(new URL(name, to), "utf8"))).toEqual(one(Object.create(null)));
  });

  it.each(readFound().map(({ file, property }) => [property, file]))(
    "belongs to a property: %s, of %s",
    (property, file) => {
      const code = readFileSync(`test/fuzz/${file}.test.ts`, "utf8").replaceAll(/property\(\s+/g, "property(");
      expect(code).toContain(`property(${JSON.stringify(property)},`);
    },
  );
});

describe("a property that refuses everything", () => {
  it("is found by its calls", async () => {
    forgetCalls();
    const { ConfigurationError } = await import("../../src/errors/request.ts");
    for (const input of [1, 2]) {
      const refuse = (when: boolean) => {
        if (when) throw new ConfigurationError("Refused.");
      };
      await refusesTyped(() => refuse(true), "all");
      await refusesTyped(() => refuse(input === 1), "some");
    }
    expect(neverResolved()).toEqual(["all"]);
    forgetCalls();
    expect(neverResolved()).toEqual([]);
  });
});
