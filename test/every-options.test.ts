/**
 * Every public function and method that takes options refuses what it does not know and what cannot be. A new export or
 * method fails here until one of the two tables lists it.
 */
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { ConfigurationError, RequestValidationError } from "../src/index.ts";
import { ownersOfMethods, takers } from "./support/option-takers.ts";
import { functionsWithoutOptions, methodsWithoutOptions } from "./support/without-options.ts";

const { paths } = JSON.parse(readFileSync("tsconfig.json", "utf8")).compilerOptions as {
  paths: Record<string, [string]>;
};

/** Some options are fields of the request: the images of a turn. */
type Refusal = ConfigurationError | RequestValidationError;

/** The options that `tolerance` needs beside it. */
const besideTolerance = { timestampHeader: "x-time", signed: "timestamp.body" };

/** The refusal of a call that throws or rejects, or undefined if it goes through. */
async function refusalOf(call: () => unknown): Promise<Refusal | undefined> {
  try {
    await call();
  } catch (error) {
    if (ConfigurationError.isInstance(error) || RequestValidationError.isInstance(error)) return error;
    throw new Error(`expected a refusal, got ${error}`, { cause: error });
  }
  return undefined;
}

describe.each(Object.entries(takers))("the options of %s", (_name, { call, base = {}, lenient = {} }) => {
  const refusal = (options: unknown) => refusalOf(() => call(options as never));

  /** The names that are known, as the refusal of another lists them. */
  async function knownNames(): Promise<readonly string[]> {
    const { message = "" } = (await refusal({ ...base, somethingElse: true })) ?? {};
    expect(message).toContain('"somethingElse"');
    return /Known: (.+?)\.( |$)/.exec(message)?.[1]?.split(", ") ?? expect.unreachable(message);
  }

  it("are accepted as these tests pass them", async () => {
    expect(await refusal(base)).toBeUndefined();
  });

  it("are refused for a misspelt name, with the known one", async () => {
    const known = await knownNames();
    for (const name of known.filter(({ length }) => length >= 6)) {
      const misspelt = `${name.slice(0, 2)}${name.slice(3)}`;
      expect((await refusal({ ...base, [misspelt]: undefined }))?.message).toMatch(/\(did you mean "\w+"\?\)/);
    }
  });

  it("are refused one by one for NaN and for null", async () => {
    for (const name of (await knownNames()).filter((known) => !(known in lenient))) {
      for (const value of [Number.NaN, null]) {
        const refused = await refusal({ ...base, [name]: value });
        expect(refused?.message, `${name}: ${value}`).toContain(name);
        expect(refused?.outcome).toBe("notSent");
      }
    }
  });

  it("are refused for a duration of thousands of years, which nobody means", async () => {
    const isDuration = /timeout|tolerance|delay|lifetime|lease|retryAfter|olderThan|retention|pace$|schedule/i;
    const known = await knownNames();
    const beside = Object.entries(besideTolerance).filter(([name]) => known.includes(name));
    for (const name of known.filter((option) => isDuration.test(option) && !(option in lenient))) {
      const value = name === "retrySchedule" ? [1e15] : 1e15;
      const refused = await refusal({ ...base, ...Object.fromEntries(beside), [name]: value });
      expect(refused?.message, name).toContain(`\`${name}\``);
    }
  });

  it.each([null, Number.NaN, "text", [], () => {}])("are refused unless they are an object: %s", async (options) => {
    expect(await refusal(options)).toBeDefined();
  });

  it("are own properties: one that is inherited is refused", async () => {
    for (const name of (await knownNames()).filter((known) => !(known in base))) {
      const refused = await refusal(Object.assign(Object.create({ [name]: undefined }), base));
      expect(refused?.message, name).toMatch(`\`${name}\` is inherited`);
    }
  });

  it("are own properties: a polluted Object.prototype adds none", async () => {
    // That of another realm: the runtime itself fails if ours is polluted.
    const options: object = runInNewContext("({})");
    for (const name of await knownNames()) Reflect.set(Object.getPrototypeOf(options), name, Number.NaN);
    expect(await refusal(Object.defineProperties(options, Object.getOwnPropertyDescriptors(base)))).toBeUndefined();
  });
});

const unlisted = "in neither test/support/option-takers.ts nor test/support/without-options.ts";

describe("one of the two tables lists every export", () => {
  it.each(Object.entries(paths))("%s", async (entry, [file]) => {
    const exported = Object.entries(await import(`../${file}`)).filter(([, value]) => typeof value === "function");
    const functions = exported
      .filter(([, value]) => !(Object(value).prototype instanceof Error))
      .map(([name]) => `${entry} ${name}`);
    expect(
      functions.filter((name) => !(name in takers) && !functionsWithoutOptions.has(name)),
      unlisted,
    ).toEqual([]);
  });

  it.each(Object.entries(ownersOfMethods))("the methods of %s", async (owner, make) => {
    const names = methodsOf(await make()).map((name) => `${owner}.${name}`);
    expect(names).not.toEqual([]);
    expect(
      names.filter((name) => !(name in takers) && !methodsWithoutOptions.has(name)),
      unlisted,
    ).toEqual([]);
  });

  it("and they list nothing else", async () => {
    const exported = await Promise.all(
      Object.entries(paths).map(async ([entry, [file]]) =>
        Object.keys(await import(`../${file}`)).map((name) => `${entry} ${name}`),
      ),
    );
    const owned = await Promise.all(
      Object.entries(ownersOfMethods).map(async ([owner, make]) =>
        methodsOf(await make()).map((name) => `${owner}.${name}`),
      ),
    );
    const known = new Set([...exported.flat(), ...owned.flat()]);
    const listed = [...Object.keys(takers), ...functionsWithoutOptions, ...methodsWithoutOptions];
    expect(listed.filter((name) => !known.has(name))).toEqual([]);
  });
});

function methodsOf(object: object): readonly string[] {
  const holder = Object.getPrototypeOf(object) === Object.prototype ? object : Object.getPrototypeOf(object);
  return Object.getOwnPropertyNames(holder).filter(
    (name) => name !== "constructor" && typeof Object.getOwnPropertyDescriptor(holder, name)?.value === "function",
  );
}
