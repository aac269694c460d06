import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import * as aiSchemas from "../../src/ai/schemas.ts";
import * as flightSchemas from "../../src/flights/schemas.ts";
import { zodOf } from "../../src/shared/explain.ts";
import type { Schema } from "../../src/shared/schema.ts";
import * as verificationSchemas from "../../src/verification/schemas.ts";

type Key = string | number;

const isSchema = (value: object): value is Schema<unknown> => "toZod" in value;
/** Those of the operations and events, and of a passenger. */
const schemas = Object.entries({ ...verificationSchemas, ...aiSchemas, ...flightSchemas }).flatMap(([name, value]) =>
  isSchema(value) && name !== "choices" ? [{ name, ...value, zod: zodOf(value) }] : [],
);

const samples = filesBelow(new URL("../../src/emulator/samples/", import.meta.url)).map(
  (file) => JSON.parse(readFileSync(file, "utf8")) as unknown,
);
/** Every object in every sample: requests, responses, events, segments, fares … */
const objects = samples.flatMap((sample) => objectsIn(sample));

const table = schemas.map(({ name, passes, zod }) => {
  return { name, check: passes, zod, valid: objects.filter((object) => z.safeParse(zod, object).success) };
});

describe("a schema as we read it, and as zod does", () => {
  describe.each(table)("$name", ({ zod, check, valid }) => {
    const agree = (value: unknown, what: string) =>
      expect(`${what}: ${check(value)}`).toBe(`${what}: ${z.safeParse(zod, value).success}`);

    it("accept and refuse the same objects of all samples as zod", () => {
      expect(valid.length).toBeGreaterThan(0);
      for (const object of objects) agree(object, JSON.stringify(object).slice(0, 200));
    });

    it("agree with zod if any field is removed, renamed, or replaced by a value of another type", () => {
      for (const value of valid.slice(0, 3)) {
        for (const path of pathsIn(value)) {
          agree(without(value, path), `without ${path.join(".")}`);
          for (const other of others) agree(replaced(value, path, other), `${path.join(".")} = ${label(other)}`);
          agree(replaced(value, [...path, "unknown"], 1), `${path.join(".")}.unknown`);
        }
        agree({ ...Object(value), unknown: 1 }, "an unknown field");
      }
    });

    it("agree with zod on any other value", () => {
      const [value] = valid;
      const paths = pathsIn(value);
      fc.assert(
        fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, other) => {
          agree(replaced(value, path, other), `${path.join(".")} = ${label(other)}`);
        }),
        { numRuns: 300 },
      );
      for (const other of others) agree(other, label(other));
      agree(new Array(2), "holes");
      agree(Object.create(Object(value)), "inherited fields");
    });
  });
});

/** A value of each type, and those at the limits of the rules. */
// biome-ignore format: a table
const others: readonly unknown[] = [
  undefined, null, true, false, 0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY,
  "", " ", "x", "Y", "Mr", "adult", "M", "DEL", "a@b", "2000-02-29", "2001-02-29", "x".repeat(30), "x".repeat(31),
  "😀".repeat(30), "😀".repeat(31), "https://example.com/a.png", "ftp://example.com/a.png", "response_output",
  [], [1], [null], ["x"], [undefined], new Array(1), {}, { x: 1 }, Object.create(null), new Date(0), () => 1,
];

function filesBelow(folder: URL): URL[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => new URL(name, folder));
}

function objectsIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inside : [value, ...inside];
}

/** The path of every field, of lists their first element only: the others have the same schema. */
function pathsIn(value: unknown): Key[][] {
  if (typeof value !== "object" || value === null) return [];
  const keys: Key[] = Array.isArray(value) ? value.slice(0, 1).map((_, i) => i) : Object.keys(value);
  return keys.flatMap((key) => [[key], ...pathsIn(Reflect.get(value, key)).map((path) => [key, ...path])]);
}

function replaced(value: unknown, [key, ...rest]: readonly Key[], other: unknown): unknown {
  if (key === undefined) return other;
  if (typeof value !== "object" || value === null) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<Key, unknown>;
  copy[key] = replaced(copy[key], rest, other);
  return copy;
}

function without(value: unknown, [key, ...rest]: readonly Key[]): unknown {
  if (typeof value !== "object" || value === null || key === undefined) return value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<Key, unknown>;
  if (rest.length === 0) delete copy[key];
  else copy[key] = without(copy[key], rest);
  return copy;
}

function label(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value) : String(JSON.stringify(value) ?? value);
}
