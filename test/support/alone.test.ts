import { globSync, readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { describe, expect, it } from "vitest";
import config from "../../vitest.config.ts";

interface Project {
  readonly test: { readonly name: string; readonly include: readonly string[]; readonly isolate?: boolean };
}

/** Calls that reach the next file of a process: Vitest forgets the mocks of a file, but its modules stay loaded. */
const reaching = /^\s*vi\.(?:mock|doMock|resetModules)\(|\bsetupServer\(/m;

describe("a test file that replaces modules or connections", () => {
  const projects = (config.test?.projects ?? []) as unknown as readonly Project[];
  const included = (name: string) => projects.find(({ test }) => test.name === name)?.test.include ?? [];
  const apart = [...included("alone"), ...included("built")];
  const files = globSync("{test,examples/testing-vitest}/**/*.test.ts", {
    exclude: ["**/node_modules/**", "test/{consumers,next,runtimes}/**"],
  }).filter((file) => reaching.test(readFileSync(file, "utf8")));

  it("has a separate process: `alone` of vitest.config.ts lists it", () => {
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !apart.some((pattern) => matchesGlob(file, pattern)))).toEqual([]);
  });
});
