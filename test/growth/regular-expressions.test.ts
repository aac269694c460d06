/**
 * The regular expressions of the library take linear time, whatever the string (scslre, which eslint-plugin-regexp
 * uses): each literal of src/, and each that a module makes when it is imported. A `new RegExp` in a function is listed.
 */
import { globSync, readFileSync } from "node:fs";
import { RegExpParser } from "@eslint-community/regexpp";
import { analyse } from "scslre";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

const option = "an option of the application";
const short = "the string is short: its length is checked before";

/** The patterns that take more than linear time, by file, each with the reason why it is safe. `…` stands for the rest. */
const exceptions: readonly (readonly [file: string, pattern: string, reason: string])[] = [
  ["src/area.ts", String.raw`^\/+|\/+$`, option],
  ["src/transport/endpoint.ts", String.raw`\/+$`, option],
  ["src/transport/endpoint.ts", String.raw`^\/+|\/+$`, option],
  ["src/transport/endpoint.ts", String.raw`\/*$`, option],
  ["src/emulator/msw.ts", String.raw`\/+$`, option],
  ["src/shared/decimal.ts", "0+$", short],
  ["src/flights/quote/times.ts", String.raw`^(?:(?<d>\d+)\s*d(?:ays?)?)?…`, short],
  ["src/flights/fees/charge.ts", String.raw`^(?:(?<who>adult|child|infant)s?\s*[-–:]\s*)?(?<rest>.*)$`, short],
  ["src/flights/fees/charge.ts", "^(?<code>AED|…", short],
  ["src/flights/fees/charge.ts", String.raw`^(?<amount>\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?|…`, short],
  ["src/cli/ai/chat.ts", String.raw`^\/(?!\/)(\S*)(?:\s+(.*))?$`, "the person at the terminal typed it"],
];

/** The patterns that a function makes, each with the reason why its parts are harmless. */
const inFunctions: Readonly<Record<string, string>> = {
  // Made with the first refusal, so that a client that meets none pays nothing.
  'src/transport/refusals/grammar.ts: new RegExp(`(?:${pattern}) `, "y")': "it is one word of the grammar",
  'src/flights/booking/reference.ts: new RegExp(`\\\\b(?:${words.join("|")})\\\\b`)':
    "it is called when the module is imported",
  'src/flights/fees/charge.ts: new RegExp(`^${source}${ending}$`, "i")': "it is called when the module is imported",
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

/** Returns the expressions of a file that make a regular expression of anything but literals, in a function. */
function madeInFunctions(file: string): readonly string[] {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node, isInFunction: boolean): void => {
    if (isInFunction && isConstruction(node) && constructed(node) === undefined)
      found.push(`${file}: ${node.getText()}`);
    node.forEachChild((child) => visit(child, isInFunction || ts.isFunctionLike(node)));
  };
  visit(source, false);
  return found;
}

function isConstruction(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
}

/** The literal that `new RegExp("…", "u")` stands for. */
function constructed(node: ts.Node): string | undefined {
  if (!isConstruction(node)) return undefined;
  const [pattern, flags] = node.arguments ?? [];
  if (pattern === undefined || !ts.isStringLiteralLike(pattern)) return undefined;
  return `/${pattern.text}/${flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : ""}`;
}

const files = globSync("src/**/*.ts", { exclude: ["src/**/built-page.ts"] }).map((file) => file.replaceAll("\\", "/"));
const patterns = files.flatMap(patternsIn);

/** The files that make a regular expression of anything but literals. */
const making = files.filter((file) => /\bRegExp\((?!["'])/.test(readFileSync(file, "utf8")));

/** Imports the modules once more, and returns the patterns that they make meanwhile. */
async function patternsMade(): Promise<readonly Pattern[]> {
  const made: Pattern[] = [];
  let place = "";
  const real = globalThis.RegExp;
  const record = (args: ConstructorParameters<typeof RegExp>) => {
    const pattern = new real(...args);
    made.push({ place, source: pattern.source, flags: pattern.flags });
    return pattern;
  };
  globalThis.RegExp = new Proxy(real, {
    construct: (_, args) => record(args as [string]),
    apply: (_, __, args) => record(args as [string]),
  });
  try {
    for (place of making) {
      vi.resetModules();
      await import(/* @vite-ignore */ `../../${place}`);
    }
  } finally {
    globalThis.RegExp = real;
  }
  return made;
}

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

function covers([file, text]: (typeof exceptions)[number], { place, source }: Pattern): boolean {
  const isIt = text.endsWith("…") ? source.startsWith(text.slice(0, -1)) : source === text;
  return isIt && place.split(":")[0] === file;
}

describe("the regular expressions of src/", () => {
  it("are found", () => {
    expect(patterns.length).toBeGreaterThan(100);
  });

  it("take linear time", async () => {
    const slow = [...patterns, ...(await patternsMade())].filter((pattern) => faultsOf(pattern).length > 0);
    const unknown = slow.filter((pattern) => !exceptions.some((exception) => covers(exception, pattern)));
    expect(unknown.map((pattern) => `${pattern.place} /${pattern.source}/ ${faultsOf(pattern)}`)).toEqual([]);
    expect(exceptions.filter((exception) => !slow.some((pattern) => covers(exception, pattern)))).toEqual([]);
  });

  it("are made when a module is imported, with few exceptions", () => {
    expect(files.flatMap(madeInFunctions).sort()).toEqual(Object.keys(inFunctions).sort());
  });

  it.each(["(a+)+$", "\\s+$", "^\\s*\\s*x", "a+b+a+c"])("would not be: %s", (source) => {
    expect(faultsOf({ place: "", source, flags: "" })).not.toEqual([]);
  });
});
