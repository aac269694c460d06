/**
 * No test measures time: how long something takes is a property of the machine. A test waits for an event, counts, or
 * moves a clock (clock.ts). To read the clock for a date is fine.
 */
import { globSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** The files that read a clock, each with the reason why no duration is held against a limit there. */
const readers: Readonly<Record<string, string>> = {
  "test/consumers/project.ts": "prints how long a project took",
  "test/consumers/shared/variants.mjs": "prints how long a variant took",
  "test/emulator/runtimes.test.ts": "passes the globals of a runtime on",
  "test/fuzz/property.ts": "finds inputs that hang, in `npm run fuzz`",
  "test/hostile/program/main.ts": "gives up on connections that never close, which it names",
  "test/support/clock.ts": "reads the clock that the test has stopped",
  "test/support/explorer/process.ts": "replaces it by one that the explorer moves",
  "test/support/lifetimes/globals.ts": "looks whether a test has replaced it",
  "test/support/lifetimes/leftovers.ts": "gives up on what a test has left open, which it names",
  "test/support/lifetimes/lifetimes.test.ts": "replaces it",
  "test/support/suspended.ts": "replaces it by one that jumps",
  "test/verification/many/rate.test.ts": "replaces it by one that jumps",
  "test/webhooks/stores/real.test.ts": "writes a lease as a person would",
  "test/webhooks/stores/store-suite.test.ts": "is a store with leases",
};

/** Names that tell the time beside `Date`. */
const clocks = new Set(["performance", "hrtime", "cpuUsage", "threadCpuUsage", "resourceUsage", "uptime", "timeEnd"]);
/** Functions that wait for a second at most: `expect.poll` waits as long as a test may last. */
const waits = new Set(["vi.waitFor", "vi.waitUntil"]);

/** Returns what a program reads of a clock, unless that becomes a date. */
function readsOf(name: string, program: string): readonly string[] {
  const source = ts.createSourceFile(name, program, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isStringLiteral(node) && /^(?:node:)?perf_hooks$/.test(node.text)) found.push(node.text);
    if (ts.isPropertyAccessExpression(node) && waits.has(node.getText())) found.push(node.getText());
    if (ts.isIdentifier(node) && (node.text === "Date" ? !isForDate(node) : clocks.has(node.text) && !isName(node)))
      found.push(node.parent.getText());
    node.forEachChild(visit);
  };
  visit(source);
  return found;
}

/** Whether it names a property of an object: an option of another tool, for example. */
function isName(node: ts.Identifier): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.name === node;
}

/** Whether `Date` makes a date here: of its parts, or of the present for a header or a function. */
function isForDate({ parent }: ts.Identifier): boolean {
  if (ts.isBinaryExpression(parent)) return parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0 || isPassedOn(parent);
  if (!ts.isPropertyAccessExpression(parent)) return false;
  // `new Date(Date.now() + 1_000)`, and `Date.now` as the clock of an object.
  const sum = parent.parent.parent;
  return ["UTC", "parse"].includes(parent.name.text) || isPassedOn(parent) || ts.isNewExpression(sum.parent);
}

function isPassedOn(node: ts.Expression): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return /^to(?:ISO|UTC)String$/.test(parent.name.text);
  if (ts.isCallExpression(parent)) return parent.expression !== node;
  return ts.isPropertyAssignment(parent) || ts.isArrayLiteralExpression(parent);
}

describe("no test measures time", () => {
  it("and few files read a clock", () => {
    const files = globSync("test/**/*.{ts,mts,cts,mjs,cjs}", { exclude: ["**/node_modules/**", "test/**/.*/**"] });
    const reads = new Map(files.map((file) => [file.replaceAll("\\", "/"), readsOf(file, readFileSync(file, "utf8"))]));
    expect(reads.size).toBeGreaterThan(500);
    const found = [...reads].flatMap(([name, each]) => (each.length > 0 ? [name] : []));
    expect(found.filter((name) => !(name in readers)).map((name) => [name, reads.get(name)])).toEqual([]);
    expect(Object.keys(readers).filter((name) => !found.includes(name))).toEqual([]);
  });

  it.each([
    "const startedAt = performance.now();",
    "const { now } = performance;",
    'import { performance as clock } from "node:perf_hooks";',
    'import "perf_hooks";',
    "const startedAt = process.hrtime.bigint();",
    "const { user } = process.cpuUsage();",
    "const startedAt = Date.now();",
    "expect(Date.now() - startedAt).toBeLessThan(10);",
    "const startedAt = new Date();",
    "const startedAt = new Date().getTime();",
    "const took = +new Date() - startedAt;",
    "const { now } = Date;",
    "const Clock = Date;",
    'console.timeEnd("work");',
    "await vi.waitFor(() => expect(told).toEqual([]));",
  ])("would find: %s", (program) => {
    expect(readsOf("a.test.ts", program)).not.toEqual([]);
  });

  it.each([
    "fees(offer, { at: new Date() });",
    "const tomorrow = new Date(Date.now() + 86_400_000);",
    "const today = new Date().toISOString();",
    "createStore({ now: Date.now });",
    "const isDate = at instanceof Date;",
    'const at = new Date("2026-11-20");',
  ])("would not mind: %s", (program) => {
    expect(readsOf("a.test.ts", program)).toEqual([]);
  });
});
