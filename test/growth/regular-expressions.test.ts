/**
 * The regular expressions of the library take linear time, whatever the string (scslre, which eslint-plugin-regexp
 * uses): each literal of src/, and each `new RegExp` of a string that is known before it runs.
 */
import { globSync, readFileSync } from "node:fs";
import { RegExpParser } from "@eslint-community/regexpp";
import { analyse } from "scslre";
import ts from "typescript";
import { describe, expect, it } from "vitest";

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const option = "an option of the application";
const short = "the string is short: its length is checked before";

/** The patterns that take more than linear time, each with the reason why it is safe. */
const exceptions: Readonly<Record<string, string>> = {
  "src/area.ts": option,
  "src/transport/base-url.ts": option,
  "src/emulator/msw.ts": option,
  "src/shared/decimal.ts": short,
  "src/flights/quote/times.ts": short,
  "src/flights/fees/charge.ts": short,
  "src/cli/ai/chat-commands.ts": "the person at the terminal typed it",
};

const parser = new RegExpParser();

function patternsIn(file: string): readonly Pattern[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    const text = ts.isRegularExpressionLiteral(node) ? node.text : constructed(node);
    const [, pattern, flags = ""] = /^\/([\s\S]*)\/([a-z]*)$/.exec(text ?? "") ?? [];
    if (pattern !== undefined) found.push({ place: `${file}:${line}`, source: pattern, flags });
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** The literal that `new RegExp("…", "u")` stands for. */
function constructed(node: ts.Node): string | undefined {
  if (!ts.isNewExpression(node) || node.expression.getText() !== "RegExp") return undefined;
  const [pattern, flags] = node.arguments ?? [];
  if (pattern === undefined || !ts.isStringLiteralLike(pattern)) return undefined;
  return `/${pattern.text}/${flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : ""}`;
}

const files = globSync("src/**/*.ts", { exclude: ["src/**/built-page.ts"] });
const patterns = files.flatMap((file) => patternsIn(file.replaceAll("\\", "/")));

/** Returns how a pattern may take more than linear time. */
function faultsOf({ source, flags }: Pattern): readonly string[] {
  const pattern = parser.parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const { reports } = analyse({ pattern, flags: parser.parseFlags(flags) });
  return reports.map(
    ({ type, exponential, character }) =>
      `${exponential ? "exponential" : "quadratic"} (${type}) for ${character.literal.source}`,
  );
}

describe("the regular expressions of src/", () => {
  it("are found", () => {
    expect(patterns.length).toBeGreaterThan(100);
  });

  it("take linear time", () => {
    const found = patterns.flatMap((pattern) =>
      faultsOf(pattern).map((fault) => `${pattern.place} /${pattern.source}/${pattern.flags} ${fault}`),
    );
    const isKnown = (line: string) => Object.keys(exceptions).some((file) => line.startsWith(`${file}:`));
    expect(found.filter((line) => !isKnown(line))).toEqual([]);
    const unneeded = Object.keys(exceptions).filter((file) => !found.some((line) => line.startsWith(`${file}:`)));
    expect(unneeded).toEqual([]);
  });

  it.each(["(a+)+$", "\\s+$", "^\\s*\\s*x", "a+b+a+c"])("would not be: %s", (source) => {
    expect(faultsOf({ place: "", source, flags: "" })).not.toEqual([]);
  });
});
