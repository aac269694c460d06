import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The test files that have no counterpart in src/, each folder or file with its reason. */
const exceptions: Readonly<Record<string, string>> = {
  hostile: "plays hostile servers to every operation",
  consumers: "installs the packed package in projects with other tools",
  bench: "tests how bench/ computes, judges and draws",
  examples: "runs examples/",
  docs: "reads README.md, docs/ and the doc comments",
  fuzz: "holds properties of public functions for any input, across all rooms",
  growth: "holds all that outsiders control to linear time, across all rooms",
  mutate: "tests that scripts/mutate/ names files that there are, and each file once",
  next: "drives examples/webhooks-next in a real Next.js",
  package: "tests the built package",
  release: "tests what is published: files, links, the public surface, changelog and workflows",
  runtimes: "runs the built package in Node, Deno, Bun and workerd",
  soak: "tests how scripts/soak/ accounts for each call, booking and payout",
  support: "tests the watches that all tests have for leaks and for what is left behind",
  types: "tests what an editor shows, across all rooms",
  "every-credential.test.ts": "passes what is no credential to every public function that takes one",
  "every-options.test.ts": "calls every public function and method that takes options",
  "issue-limits.test.ts": "holds all errors with issues to one limit",
  "mirror.test.ts": "is this file",
};

const testFiles = readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
  .map((name) => name.replaceAll("\\", "/"))
  .filter((name) => /\.test(?:-d)?\.ts$/.test(name) && !/(?:^|\/)(?:node_modules|\.next)\//.test(name));

const isException = (name: string) => Object.hasOwn(exceptions, name.split("/")[0] ?? "");

describe("test/ mirrors src/", () => {
  it("has a room in src/ for each test file below it, and a file for each at the top", () => {
    const isMirrored = (name: string) => {
      const subject = name.replace(/\.test(?:-d)?\.ts$/, "");
      if (!name.includes("/"))
        return existsSync(join(root, "src", `${subject}.ts`)) || existsSync(join(root, "src", subject));
      return existsSync(join(root, "src", dirname(name)));
    };
    expect(testFiles.length).toBeGreaterThan(150);
    expect(testFiles.filter((name) => !isException(name) && !isMirrored(name))).toEqual([]);
  });

  it("has no exception without a test", () => {
    const firsts = new Set(testFiles.map((name) => name.split("/")[0] ?? ""));
    expect(Object.keys(exceptions).filter((name) => !firsts.has(name))).toEqual([]);
  });
});
