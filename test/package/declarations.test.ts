/** The published types, for other compilers and settings: `npm test` builds before it tests. */
import { execFile } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const run = promisify(execFile);
const declarations = globSync("dist/**/*.d.{ts,cts}");

/** Generics that took a first or second type argument later than TypeScript 5.0, as they must not be written. */
const tooNew: readonly RegExp[] = [
  // 5.6: TReturn and TNext.
  /\b(?:Async)?Iterable(?:Iterator)?<(?:[^<>]|<[^<>]*>)*,/,
  /\b(?:Async)?IteratorObject</,
  // 5.7 and @types/node 22: the buffer.
  /\b(?:\w+Array|DataView|Buffer)<ArrayBuffer/,
  /\bNoInfer</,
];

it("is written with the generics of TypeScript 5.0", () => {
  expect(declarations.length).toBeGreaterThan(10);
  for (const file of declarations) {
    const text = readFileSync(file, "utf8");
    for (const pattern of tooNew) expect(text, file).not.toMatch(pattern);
  }
});

it("needs no library of types but those of ES2022 and the DOM", async () => {
  const names = ["serviceapi", "serviceapi/flights", "serviceapi/webhooks", "serviceapi/emulator"];
  const program = names.map((name, i) => `import * as entry${i} from "${name}";\nexport { entry${i} };`).join("\n");
  expect(await compile(program)).toBe("");
});

it("does not take an object for a refusal of the emulator", async () => {
  const program = `
    import { createEmulator, refusal } from "serviceapi/emulator";

    createEmulator().on("flights.book", refusal("insufficient_balance"));
    // @ts-expect-error: it was not made by refusal()
    createEmulator().on("flights.book", { reason: "insufficient_balance" });
  `;
  expect(await compile(program)).toBe("");
});

/** Returns the output of the compiler for a program that uses the built package. */
async function compile(program: string): Promise<string> {
  const app = mkdtempSync(join(tmpdir(), "serviceapi-types-"));
  onTestFinished(() => rmSync(app, { recursive: true, force: true }));
  cpSync("dist", join(app, "node_modules/serviceapi/dist"), { recursive: true });
  cpSync("package.json", join(app, "node_modules/serviceapi/package.json"));
  writeFileSync(join(app, "main.ts"), program);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    target: "es2022",
    lib: ["es2022", "dom"],
    types: [],
    module: "preserve",
    moduleResolution: "bundler",
  };
  writeFileSync(join(app, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["main.ts"] }));
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const output = await run(process.execPath, [tsc, "-p", app]).catch((error: { stdout: string }) => error);
  return output.stdout;
}
