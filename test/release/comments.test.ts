/** Comments of the published modules: `npm test` builds before it tests. */
import { globSync, readFileSync } from "node:fs";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { withoutComments } from "../../scripts/without-comments.ts";

const modules = globSync("dist/**/*.{js,cjs}");
const code = (name: string) => modules.filter((file) => file.endsWith(name)).map((file) => readFileSync(file, "utf8"));

describe("withoutComments", () => {
  it("removes comments and the lines that they fill", () => {
    const before =
      "/** a */\nconst a = 1; // b\n  // c\n  /* d */ /* e */\nclass A {\n  /**\n   * f\n   */\n  x() {}\n}\n// g\n";
    expect(withoutComments(before)).toBe("\nconst a = 1; \nclass A {\n  x() {}\n}\n");
  });

  it.each([
    "const a = /* @__PURE__ */ f();",
    "/*#__PURE__*/ f();",
    "/*@__INLINE__*/ f();",
    "/*! MIT © A */\nf();",
    "//! MIT\nf();",
    "/* @license MIT */\nf();",
    'import(/* webpackIgnore: true */ "a");',
    'import(/* @vite-ignore */ "a");',
    "f();\n//# sourceMappingURL=a.js.map",
    "// src/ai/ai.ts\nf();",
  ])("keeps %j", (text) => {
    expect(withoutComments(text)).toBe(text);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of a template.
  it.each(["`/* a */ ${b} // c`", '"// a"', "/\\/\\*/", "a / b / c", "`${`// a`}`"])(
    "keeps %s, which only looks like one",
    (text) => {
      expect(withoutComments(`f(${text});`)).toBe(`f(${text});`);
    },
  );

  it("parts what a comment parted", () => {
    expect(withoutComments("return/* a */b")).toBe("return b");
    // Without the line, both would be one expression.
    expect(withoutComments("a/*\n*/(b)")).toBe("a\n(b)");
  });

  it("changes nothing but comments", async () => {
    const before =
      "/** a */ export class A { /** b */ x = /* c */ `// d`; }\n// e\nexport const f = () => /* g */ new A();";
    const minified = async (text: string) => (await transform(text, { minifyWhitespace: true })).code;
    expect(await minified(withoutComments(before))).toBe(await minified(before));
  });
});

describe("the published modules", () => {
  it("have no doc comments, which are in the declarations", () => {
    expect(modules.length).toBeGreaterThan(50);
    for (const file of modules) expect(readFileSync(file, "utf8"), file).not.toMatch(/^\s*\/\*\*/m);
  });

  it("keep what bundlers, lawyers and readers of a stack trace look for", () => {
    for (const extension of [".js", ".cjs"]) {
      const text = code(extension).join("\n");
      expect(text).toContain("/* @__PURE__ */");
      expect(text).toMatch(/\/\*! Bundled license information:\s+ky/);
      expect(text).toMatch(/^\/\/ src\/transport\/transport\.ts$/m);
    }
  });

  it("name no source map that is not in the package", () => {
    for (const file of modules) expect(readFileSync(file, "utf8"), file).not.toContain("sourceMappingURL");
    expect(globSync("dist/**/*.map")).toEqual([]);
  });
});

describe("a comment with a line break in it", () => {
  it.each([
    "let a=1 /* \n */ ++b",
    "function f(){ return /* a\n b */ 1 }",
    "function f(){return/*a\u2028b*/1}",
    "a /*\r*/ ++b",
  ])("still ends the line without the comment: %j", (code) => {
    expect(withoutComments(code)).toMatch(/(?:=1|return|^a) ?\n/);
    expect(withoutComments(code)).not.toContain("/*");
  });
});
