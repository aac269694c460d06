import ts from "typescript";
import { describe, expect, it } from "vitest";
import { guides, pathsBelow, read } from "./blocks.ts";
import { guidePassages, type Passage, passagesIn, sourcePassages, testPassages } from "./prose.ts";
import { unwanted } from "./word-list.ts";

/** The files and folders whose words are held to the list. */
const kept = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  "CHANGELOG.md",
  "SECURITY.md",
  "llms.txt",
  "docs",
  "skills",
  "src",
  "test",
  "bench",
  "scripts",
  "examples",
];

describe("a reference that a reader cannot look up", () => {
  it("is not cited: docs/assumptions.md has numbers such as W1 for what the library assumes", () => {
    const files = [...guides(), ...["src", "test", "bench", "scripts", "examples"].flatMap(sources)];
    expect(files.length).toBeGreaterThan(300);
    expect(files.filter((file) => /\bpolic(?:y|ies) \d/i.test(read(file)))).toEqual([]);
  });

  // Comments cite the document; a program's strings are read by people who do not have it at hand.
  it("is not in a message: no string of the library has a section number", () => {
    expect(sources("src").flatMap((file) => strings(file).filter((text) => text.includes("§")))).toEqual([]);
  });
});

describe("the words of messages, comments, guides and test titles", () => {
  // For a phrase that fails here, word-list.ts has the usual one.
  it("are the usual ones of this field", () => {
    const passages = passagesIn(kept);
    expect(passages.length).toBeGreaterThan(8_000);
    expect(passages.flatMap((passage) => hitsOf(passage).map((hit) => `${passage.place}: ${hit}`))).toEqual([]);
  });

  it.each(unwanted.flatMap(({ pattern, found, kinds }) => found.map((text) => ({ text, pattern, kinds }))))(
    "are not those of $text",
    ({ text, pattern, kinds: [kind = "guide"] = [] }) => {
      expect(hitsOf({ place: "", kind, text }).join()).toContain(String(pattern));
    },
  );

  it.each(unwanted.flatMap(({ notFound, kinds }) => notFound.map((text) => ({ text, kinds }))))(
    "may be those of $text",
    ({ text, kinds: [kind = "guide"] = [] }) => {
      expect(hitsOf({ place: "", kind, text })).toEqual([]);
    },
  );

  it("are read from prose, lists, tables, doc comments and messages, and not from code", () => {
    const guide =
      "# An answer\n\nA `bad answer` is\nan answer.\n\n- an answer\n  too\n\n| answer | an answer (`test/a.test.ts`) |\n\n```ts\nanswer();\n```\n";
    const code = `
      /**
       * An answer.
       *
       * @example
       * answer();
       */
      export const answer = ["answer", "an answer", \`an answer of \${it}\`]; // an answer`;
    const found = [...guidePassages("guide.md", guide), ...sourcePassages("a.ts", code)];
    expect(found.filter((passage) => hitsOf(passage).length > 0).map(({ place, text }) => `${place} ${text}`)).toEqual([
      "guide.md:1 An answer",
      "guide.md:3 A code is an answer.",
      "guide.md:6 an answer too",
      "guide.md:9 answer",
      "a.ts:2 An answer.",
      "a.ts:8 an answer",
      "a.ts:8 an answer of …",
    ]);
  });

  it("are read from the titles and all comments of a test, and not from its data", () => {
    const code = `
      /** An answer. */
      const answer = "an answer"; // an answer
      // The first line of
      // an answer.
      describe("an answer", () => {
        it.each(["an answer"])("%s: \`an answer\` is an answer", () => {
          /* An answer. */
          expect(say("an answer")).toBe(\`an answer\`);
        });
        test(\`an answer of \${it}\`, () => {});
      });`;
    const found = testPassages("a.test.ts", code).filter((passage) => hitsOf(passage).length > 0);
    expect(found.map(({ place, kind, text }) => `${place} ${kind} ${text}`)).toEqual([
      "a.test.ts:2 comment An answer.",
      "a.test.ts:3 comment an answer",
      "a.test.ts:4 comment The first line of an answer.",
      "a.test.ts:6 title an answer",
      "a.test.ts:7 title %s: code is an answer",
      "a.test.ts:8 comment An answer.",
      `a.test.ts:11 title an answer of \${it}`,
    ]);
  });
});

/** The unwanted words of a passage, each with the usual one. */
function hitsOf({ kind, text }: Passage): string[] {
  return unwanted
    .filter(({ pattern, kinds }) => (kinds ?? [kind]).includes(kind) && pattern.test(text))
    .map(({ pattern, instead }) => `"${pattern.exec(text)?.[0]}", better: ${instead} (${pattern}) in "${text}"`);
}

function sources(folder: string): string[] {
  return pathsBelow(folder).filter((name) => /\.[cm]?tsx?$/.test(name));
}

/** Every string and template of a file, comments left out. */
function strings(file: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true));
  return found;
}
