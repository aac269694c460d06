import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { explain, messageOf } from "../../src/shared/explain.ts";
import { unknown } from "../../src/shared/schema.ts";

const issuesOf = (schema: z.ZodMiniType, value: unknown) =>
  explain({ ...unknown, toZod: () => schema }, value).map(({ message, path }) => `${path.join(".")}: ${message}`);

it("has nothing to explain of a value that passes, the first time and every time", () => {
  const schema = z.string();
  for (let i = 0; i < 3; i++) {
    expect(issuesOf(schema, "x")).toEqual([]);
    expect(issuesOf(schema, 1)).toHaveLength(1);
  }
});

describe('every rule has our wording (zod/mini alone says "Invalid input")', () => {
  it.each<[string, z.ZodMiniType, unknown, string]>([
    ["a missing field", z.object({ a: z.string() }), {}, "a: is missing"],
    ["a text that is a number", z.string(), 7, ": must be a string, is a number"],
    ["a number that is a text", z.number(), "7", ": must be a number, is a string"],
    ["a number that is none", z.number(), Number.NaN, ": must be a number, is a number"],
    ["a whole number with a fraction", z.int(), 1.5, ": must be a whole number, is a number"],
    ["a list that is null", z.array(z.string()), null, ": must be an array, is null"],
    ["an object that is a list", z.object({}), [], ": must be an object, is an array"],
    ["a text that is an object", z.string(), {}, ": must be a string, is an object"],
    ["a switch that is a text", z.boolean(), "true", ": must be a boolean, is a string"],
    [
      "an unknown field",
      z.strictObject({}),
      { a: 1 },
      ": has unknown field a; fields that the document does not show go into `extraBody`",
    ],
    [
      "unknown fields",
      z.strictObject({}),
      { a: 1, b: 2 },
      ": has unknown fields a, b; fields that the document does not show go into `extraBody`",
    ],
    ["a literal", z.literal("Y"), "N", ': must be "Y"'],
    ["an enumeration", z.enum(["M", "F"]), "X", ': must be "M" or "F"'],
    ["an empty text", z.string().check(z.minLength(1)), "", ": must not be empty"],
    ["an empty list", z.array(z.string()).check(z.minLength(1)), [], ": must have at least 1 element"],
    ["a text too long", z.string().check(z.maxLength(3)), "long", ": must be at most 3 characters"],
    ["a number too small", z.int(), -(2 ** 60), `: must be at least ${-Number.MAX_SAFE_INTEGER}`],
    ["a number too large", z.number().check(z.maximum(3)), 4, ": must be at most 3"],
    ["a pattern", z.string().check(z.regex(/^a/)), "b", ": is not of the documented form"],
    ["one with words of its own", z.literal("Y", { error: "must be given" }), "N", ": must be given"],
  ])("%s", (_case, schema, value, issue) => {
    expect(issuesOf(schema, value)).toEqual([issue]);
  });

  it("names the place of each, however deep", () => {
    const schema = z.object({ passengers: z.array(z.object({ dob: z.string(), gender: z.enum(["M", "F"]) })) });
    expect(issuesOf(schema, { passengers: [{ dob: "x", gender: "M" }, { gender: "X" }] })).toEqual([
      "passengers.1.dob: is missing",
      'passengers.1.gender: must be "M" or "F"',
    ]);
  });

  it("never echoes the value", () => {
    const value = { name: "ASHA EXAMPLE", code: "secret-4711" };
    const schema = z.strictObject({ name: z.literal("Y"), code: z.string().check(z.regex(/^\d+$/)) });
    expect(issuesOf(schema, value).join()).not.toMatch(/ASHA|4711/);
    expect(messageOf({ code: "custom", input: "ASHA", message: undefined } as z.core.$ZodRawIssue)).toBe(
      "is not of the documented form",
    );
  });
});
