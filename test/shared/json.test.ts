import { describe, expect, it } from "vitest";
import {
  elementsOf,
  field,
  isObject,
  isObjectOrList,
  parseJson,
  stringOf,
  trimmedScalar,
} from "../../src/shared/json.ts";

const odd = [undefined, null, 0, "", "text", true, Number.NaN] as const;

describe("readers of JSON that may be anything", () => {
  it.each([...odd, []])("%j is not an object", (value) => {
    expect(isObject(value)).toBe(false);
  });

  it("an object is one, even without a prototype", () => {
    expect([isObject({}), isObject(Object.create(null))]).toEqual([true, true]);
  });

  it.each(odd)("%j is not an object or list", (value) => {
    expect(isObjectOrList(value)).toBe(false);
  });

  it("an object is one of both, and so is a list", () => {
    expect([isObjectOrList({}), isObjectOrList([])]).toEqual([true, true]);
  });

  it("JSON is parsed, and anything else is undefined", () => {
    expect([parseJson('{"a":[1]}'), parseJson("null")]).toEqual([{ a: [1] }, null]);
    for (const text of ["", "{", "undefined", "'a'"]) expect(parseJson(text)).toBeUndefined();
  });

  it("an integer beyond 2^53 is its digits wherever it stands, behind any other digits", () => {
    const large = "9007199254740993";
    for (let before = 0; before < 40; before++) {
      const text = `{"${"1".repeat(before % 15)}${"k".repeat(before)}":[12,${large},-${large},${large}.5,1e${large.length}]}`;
      const [values] = Object.values(parseJson(text) as Record<string, unknown[]>);
      expect(values).toEqual([12, large, `-${large}`, Number(`${large}.5`), 1e16]);
    }
  });

  it.each(odd)("%j has no field and no element", (value) => {
    expect([field(value, "length"), elementsOf(value)]).toEqual([undefined, []]);
  });

  it("a field is the object's own", () => {
    expect(field({ pnr: "ABC123" }, "pnr")).toBe("ABC123");
    for (const name of ["constructor", "toString", "__proto__"]) expect(field({}, name)).toBeUndefined();
    expect(field(JSON.parse('{"__proto__":1}'), "__proto__")).toBe(1);
  });

  it("a hole in a list is an element", () => {
    const holed: unknown[] = [1];
    holed[2] = 3;
    expect(elementsOf(holed)).toEqual([1, undefined, 3]);
  });

  it("returns undefined for invalid JSON, and does not throw", () => {
    expect([parseJson('{"a":1}'), parseJson("null")]).toEqual([{ a: 1 }, null]);
    for (const text of ["", "{oops", "undefined", "\ufeff{}"]) expect(parseJson(text)).toBeUndefined();
  });

  it("returns an empty string for another type", () => {
    expect([stringOf("a"), stringOf(1), stringOf(null), stringOf(["a"])]).toEqual(["a", "", "", ""]);
  });

  it("a word is a string without spaces around it, or a number", () => {
    expect([trimmedScalar(" a b "), trimmedScalar(12), trimmedScalar(null), trimmedScalar(true)]).toEqual([
      "a b",
      "12",
      "",
      "",
    ]);
  });

  it("returns undefined for invalid JSON", () => {
    expect([parseJson('{"a":1}'), parseJson("null"), parseJson("{"), parseJson("")]).toEqual([
      { a: 1 },
      null,
      undefined,
      undefined,
    ]);
  });
});
