/**
 * Writes the public surface of the built package into etc/api: a page for each entry point, with names and signatures.
 * A test fails while they differ.
 *
 *   npm run api
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readPages } from "./pages.ts";

const folder = "etc/api";
const pages = readPages(process.cwd());
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`${pages.size} pages in etc/api. Review their difference: it is what users notice.`);
