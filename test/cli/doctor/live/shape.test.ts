import { describe, expect, it } from "vitest";
import { pathOf, shapeOf, typeOf, wordOf } from "../../../../src/cli/doctor/live/evidence.ts";

describe("evidence", () => {
  it("has the shape of a string: nothing of its letters and digits, and no control character", () => {
    expect(shapeOf("Asha 98765-43210")).toBe("Aaaa 99999-99999");
    expect(shapeOf("\u001b[31mनमस्ते")).toMatch(/^\?\[99aa[a?]+$/);
    expect(shapeOf("x".repeat(100))).toBe(`${"a".repeat(40)}…`);
  });

  it("has words of the interface unchanged, and masks what may be a value", () => {
    expect(wordOf("ACTIVE")).toBe('"ACTIVE"');
    expect(wordOf("response_output")).toBe('"response_output"');
    expect(wordOf("Asha Rao")).toBe('of the shape "Aaaa Aaa"');
    expect(wordOf("asha rao")).toBe('of the shape "aaaa aaa"');
    expect(wordOf("Asha")).toBe('of the shape "Aaaa"');
    expect(wordOf("asha@examplebank")).toBe('of the shape "aaaa@aaaaaaaaaaa"');
    expect([undefined, null, 7, [], {}, true].map(typeOf)).toEqual([
      ...["missing", "null", "a number", "a list", "an object", "a boolean"],
    ]);
  });

  it("has names of fields, without positions and without names that may be data", () => {
    expect(pathOf(["data", "result", 3, "fare"])).toBe("data.result[].fare");
    expect(pathOf(["byMobile", "9876543210"])).toBe("byMobile.…");
    expect(pathOf([])).toBe("the body");
  });
});
