import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { generatePage } from "../../../scripts/generate-console.ts";
import { page } from "../../../src/emulator/console/built-page.ts";

it("the console's page is that of its sources as they are now (npm run generate)", async () => {
  const file = new URL("../../../src/emulator/console/built-page.ts", import.meta.url);
  expect(readFileSync(file, "utf8")).toBe(await generatePage());
});

it("the console's page is one small file that loads nothing", () => {
  expect(gzipSync(page).length).toBeLessThan(8_000);
  expect(page).not.toMatch(/https?:\/\/|@import|url\(|<link(?! rel="icon" href="data:,")|<script [^>]*src|<img/);
  // Markup is never made of strings.
  expect(page).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/);
});
