import { describe, expect, it } from "vitest";
import { titlesIn } from "./promise-rows.ts";

describe("the titles that can hold a promise", () => {
  it("are those of tests and groups, tables and conditions included", () => {
    const code = `
      describe("a group", () => {
        it("a test", () => {});
        test("with \`code\`", () => {});
        property("a property", anyText, (text) => {});
        fc.property("an argument", anyText);
        it.each(["a row"])("a table: %s", () => {});
        describe.skipIf(isBrowser).each(rows)("a table of groups: $name", () => {});
      });`;
    expect([...titlesIn("a.test.ts", code)]).toEqual([
      "a group",
      "a test",
      "with code",
      "a property",
      "a table: %s",
      "a table of groups: $name",
    ]);
  });

  it("are not the other strings of a test file", () => {
    const code = `
      import { x } from "./a-path.ts";
      const rows = { "a key": "a fixture" };
      it.runIf("a condition");
      expect(x("an argument")).toBe("a value");`;
    expect([...titlesIn("a.test.ts", code)]).toEqual([]);
  });

  it("are the promises in the table of a suite", () => {
    const code = `import "x"; const promises = { "a promise": async () => equal(1, 1, "a label"), "a value": 1 };`;
    expect([...titlesIn("src/store-suite.ts", code)]).toEqual(["a promise"]);
  });

  it.each([
    'it.skip("a test", () => {})',
    'it.todo("a test")',
    'describe.only("a group", () => {})',
    'it.skip.each([1])("a test", () => {})',
    'it.fails("a test", () => {})',
    'it("a test", { skip: true }, () => {})',
  ])("are none with %s", (code) => {
    expect(() => titlesIn("a.test.ts", code)).toThrow(/^a\.test\.ts: /);
  });
});
