import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { markInitializersPure } from "../../scripts/pure-initializers.ts";

const code = `
var base = class { };
var one = Object.freeze({ a: 1 }), two = [...[1, 2]];
var Child = class extends base { static of() { return new Child(); } };
var text = String.raw\`\\d\`;
var { length } = text;
`;

describe("the initializers of a published module", () => {
  it("are marked as pure, so that a bundler drops those that nobody needs", async () => {
    const shaken = await transform(markInitializersPure(code), { treeShaking: true, format: "esm" });
    expect(shaken.code).toBe("var text = /* @__PURE__ */ (() => String.raw`\\d`)();\nvar { length } = text;\n");
  });

  it("keep their values, the names of their classes and their lines", async () => {
    const marked = `${markInitializersPure(code)}export { one, two, Child, text, length };`;
    const { one, two, Child, text, length } = await import(`data:text/javascript,${encodeURIComponent(marked)}`);
    expect({ one, two, text, length }).toEqual({ one: { a: 1 }, two: [1, 2], text: "\\d", length: 2 });
    expect([Child.name, Child.of() instanceof Child]).toEqual(["Child", true]);
    expect(marked.split("\n").findIndex((line) => line.includes("String.raw"))).toBe(4);
  });

  it("that have no effect stay as they are", () => {
    const plain = `var a = 1, b = () => a, c = { a: 1 }, d = class { };\nfunction e() { return f(); }\n`;
    expect(markInitializersPure(plain)).toBe(plain);
  });
});
