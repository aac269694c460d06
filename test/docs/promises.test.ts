import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAbsolute, noPromise, promised } from "./absolutes.ts";
import { guides, read, root } from "./blocks.ts";
import { page, promiseRows, type Row, threatPage, threatRows, titlesIn } from "./promise-rows.ts";
import { markdownSentences, publishedSentences } from "./sentences.ts";

const rows = promiseRows();
const fragments = [...Object.values(promised), ...Object.values(noPromise)].flat();
const longestFirst = fragments.toSorted((a, b) => b.length - a.length);

const published = publishedSentences();
const absolute = [
  ...guides()
    .filter((guide) => guide !== page && guide !== threatPage)
    .flatMap((guide) => markdownSentences(guide, read(guide))),
  ...published,
]
  .filter(({ text }) => isAbsolute(text))
  .map(({ file, text }) => ({ place: placeOf(file), text, ...listed(text.toLowerCase()) }));

/** README, the name of a guide, or "types". */
function placeOf(file: string): string {
  return file.startsWith("src/") ? "types" : file.replace(/^docs\/|\.md$/g, "");
}

/**
 * The listed fragments of a sentence, the longest first, and the rest of the sentence. A single word has to be all of
 * it.
 */
function listed(text: string): { readonly parts: readonly string[]; readonly rest: string } {
  let rest = text;
  const parts = longestFirst.filter((part) => {
    if (part.includes(" ") ? !rest.includes(part) : text !== part) return false;
    rest = rest.replaceAll(part, "…");
    return true;
  });
  return { parts, rest };
}

/** The rows that name no test, and the tests that do not exist. */
function withoutTest(pageRows: readonly Pick<Row, "id" | "tests">[]): string[] {
  const missing = pageRows.flatMap(({ id, tests }) =>
    tests
      .filter(({ title, file }) => !existsSync(join(root, file)) || !titlesIn(file).has(title))
      .map(({ title, file }) => `${id}: ${file} › ${title}`),
  );
  return [...pageRows.filter(({ tests }) => tests.length === 0).map(({ id }) => id), ...missing];
}

describe("docs/security.md", () => {
  it("names tests that exist, for each control", () => {
    expect(threatRows().length).toBeGreaterThan(20);
    expect(withoutTest(threatRows())).toEqual([]);
  });
});

describe("docs/promises.md", () => {
  it("names tests that exist, for each promise", () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(withoutTest(rows)).toEqual([]);
  });

  it("has a row for each promise, and only for those", () => {
    expect(rows.map(({ id }) => id).toSorted()).toEqual(Object.keys(promised).toSorted());
  });

  // A sentence that fails here is new: give it a test and a row, list it as no promise, or word it as what holds.
  it("covers each absolute sentence of the guides and of the published doc comments", () => {
    expect(absolute.length).toBeGreaterThan(200);
    const unlisted = absolute.filter(({ rest }) => isAbsolute(rest)).map(({ place, text }) => `${place}: ${text}`);
    expect(unlisted).toEqual([]);
  });

  it("lists nothing that is no longer said", () => {
    const said = new Set(absolute.flatMap(({ parts }) => parts));
    expect(fragments.filter((fragment) => !said.has(fragment))).toEqual([]);
  });
});

describe("an absolute sentence", () => {
  it.each([
    "It never fails.",
    "It is read once, whatever comes.",
    "Nothing is lost.",
    "No request is sent.",
    "A stream is read\n**once**.",
  ])("is %j", (text) => {
    expect(markdownSentences("guide.md", text).map((sentence) => isAbsolute(sentence.text))).toEqual([true]);
  });

  it.each(["It ends once the stream has ended.", "It comes at once.", "It holds nothing but this."])(
    "is not %j",
    (text) => {
      expect(markdownSentences("guide.md", text).map((sentence) => isAbsolute(sentence.text))).toEqual([false]);
    },
  );

  it("is found in prose, in lists and in tables, and not in code", () => {
    const guide =
      "# It\n\nIt works. It never\nfails.\n\n- never `x`\n\n| a | never b |\n| - | - |\n\n```ts\nnever();\n```\n";
    const found = markdownSentences("guide.md", guide).filter(({ text }) => isAbsolute(text));
    expect(found.map(({ text }) => text)).toEqual(["It never fails.", "never x", "never b"]);
  });

  it("is found in the doc comments of what is exported, of its members and of the types that it names", () => {
    const files = published.map(({ file }) => file);
    expect(files).toEqual(
      expect.arrayContaining(["src/client.ts", "src/flights/types/quote.ts", "src/webhooks/stores/store.ts"]),
    );
    expect(files).not.toContain("src/webhooks/receive/respond.ts");
  });
});
