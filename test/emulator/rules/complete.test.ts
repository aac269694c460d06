import { expect, it } from "vitest";
import { complete } from "../../../src/emulator/rules/bodies.ts";

it.each([
  ["a field", { a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4, d: 3 } }],
  ["undefined leaves the field", { a: 1 }, { a: undefined }, { a: 1 }],
  ["null replaces it", { a: { b: 1 } }, { a: null }, { a: null }],
  ["a list is the whole list", { a: [1, 2, 3] }, { a: [9] }, { a: [9] }],
  ["an empty list too", { a: [1] }, { a: [] }, { a: [] }],
  [
    "an element, from its place",
    [
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ],
    [{}, { x: 9 }],
    [
      { x: 1, y: 1 },
      { x: 9, y: 2 },
    ],
  ],
  [
    "an element, from the first",
    [{ x: 1, y: 1 }],
    [{ x: 5 }, { x: 6 }],
    [
      { x: 5, y: 1 },
      { x: 6, y: 1 },
    ],
  ],
  ["a new field", { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
  ["another type", { a: "text" }, { a: { b: 1 } }, { a: { b: 1 } }],
])("completes %s", (_, base, part, expected) => {
  expect(complete(base, part)).toEqual(expected);
});

it("sets no prototype", () => {
  const body = Object(complete({ a: 1 }, JSON.parse('{"__proto__":{"polluted":true}}')));
  expect([body.polluted, Object.hasOwn(body, "__proto__")]).toEqual([undefined, true]);
});
