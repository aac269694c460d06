/** A new public function or method fails here until it has a property, or a reason. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { callsIn } from "./calls.ts";
import { publicFunctions } from "./public-functions.ts";

const pages = readdirSync("etc/api").map((name) => readFileSync(`etc/api/${name}`, "utf8"));

/** The names of the functions, and of the methods of all classes but errors. */
const published = pages.flatMap((page) => [
  ...Array.from(page.matchAll(/^export function (\w+)/gm), ([, name = ""]) => name),
  ...Array.from(page.matchAll(/^export class (\w+)(?<!Error)[ {<][\s\S]*?^\}/gm)).flatMap(([body, owner = ""]) =>
    Array.from(body.matchAll(/^ {2,4}(\w+)[<(]/gm), ([, method = ""]) => `${owner}.${method}`),
  ),
]);
const names = [...new Set(published)].filter((name) => !name.endsWith(".constructor")).sort();

const callsOf = new Map<string, ReadonlySet<string>>();

describe("the table of properties", () => {
  it("has each public function and method, and no other", () => {
    expect(names.length).toBeGreaterThan(90);
    expect(Object.keys(publicFunctions).sort(), "test/fuzz/public-functions.ts beside etc/api").toEqual(names);
  });

  it.each(Object.entries(publicFunctions).filter(([, place]) => typeof place === "string"))(
    "%s is called by a property of %s",
    (name, place) => {
      const file = `test/fuzz/${place}.test.ts`;
      expect(existsSync(file)).toBe(true);
      const calls = callsOf.get(file) ?? callsIn(readFileSync(file, "utf8"));
      callsOf.set(file, calls);
      const method = name.split(".").at(1);
      expect([...calls]).toContain(method === undefined ? name : `.${method}`);
    },
  );
});
