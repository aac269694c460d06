/**
 * Writes the public surface of the built package into etc/api: a page for each entry point, with names and signatures.
 * A test fails while they differ.
 *
 *   npm run api
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDeclarations } from "./declarations.ts";
import { formatted } from "./format.ts";
import { pagesOf } from "./pages.ts";

const root = process.cwd();
const folder = join(root, "etc/api");
const pages = formatted(pagesOf(readDeclarations(root)));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`${pages.size} pages in etc/api. Review their difference: it is what users notice.`);
