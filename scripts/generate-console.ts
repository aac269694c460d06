/**
 * Writes `src/emulator/console/built-page.ts` from `page/` beside it: one page with its script and its style sheet, and
 * their hashes for the Content Security Policy. The source of the package runs as it is, so nothing can build the page
 * while it is loaded.
 *
 *   npx tsx scripts/generate-console.ts
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = new URL("../src/emulator/console/", import.meta.url);

/** Returns the text of `built-page.ts`. */
export async function generatePage(): Promise<string> {
  const script = await minified("main.ts");
  const style = await minified("style.css");
  const page = readFileSync(new URL("page/index.html", folder), "utf8")
    .replaceAll(/\n\s*/g, "\n")
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(/<script [^>]*><\/script>/, () => `<script>${script}</script>`);
  return [
    "/** The console's page. Written by `npm run generate` from `page/`: do not edit. */",
    `export const page =\n  ${JSON.stringify(page)};`,
    `export const scriptHash = ${JSON.stringify(hash(script))};`,
    `export const styleHash = ${JSON.stringify(hash(style))};\n`,
  ].join("\n\n");
}

/** Returns a file of the page with all that it imports. */
async function minified(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`page/${name}`, folder))],
    ...{ bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8", write: false },
  });
  const text = outputFiles[0]?.text.trim() ?? "";
  if (/<\/(?:script|style)/i.test(text)) throw new Error(`${name} would end its element.`);
  return text;
}

/** Returns the hash of an inline script or style sheet, as a Content Security Policy has it. */
function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

if (import.meta.filename === process.argv[1]) writeFileSync(new URL("built-page.ts", folder), await generatePage());
