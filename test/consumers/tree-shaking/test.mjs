import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { bundlers } from "./bundlers.mjs";
import { variant } from "./shared/variants.mjs";

/**
 * Programs, and the kilobytes that each may have, minified and gzipped: with Rollup; with Vite and webpack, which keep
 * what the later parts of a file import, and we publish few files; with esbuild, which writes one file, in which zod (8)
 * counts that others load when a value does not pass.
 */
const programs = {
  "an error class": ['export { RateLimitError } from "serviceapi";', 1, 1.65],
  "isInstance of one class": [
    'import { RateLimitError } from "serviceapi"; export const test = (error) => RateLimitError.isInstance(error);',
    1,
    1.65,
  ],
  isServiceApiError: ['export { isServiceApiError } from "serviceapi";', 1, 1.6],
  version: ['export { version } from "serviceapi";', 3, 6.5],
  "the operation findVpas": ['export { findVpas } from "serviceapi/verification";', 5.2, 8.1, 14.7],
  "the operation createResponse": ['export { createResponse } from "serviceapi";', 7, 8.2, 15.2],
  "the operation fareQuote": ['export { fareQuote } from "serviceapi/flights";', 5.5, 8.6, 17],
  normalizeMobile: ['export { normalizeMobile } from "serviceapi/verification";', 0.9, 6.7],
  readMoney: ['export { readMoney } from "serviceapi/flights";', 0.9, 1.4],
  hmac: ['export { hmac } from "serviceapi/webhooks";', 6.9],
  checkAcknowledgement: ['export { checkAcknowledgement } from "serviceapi/webhooks";', 2.6],
  "nothing of what is imported": [
    ["serviceapi", "serviceapi/flights", "serviceapi/webhooks", "serviceapi/emulator"]
      .map((entry, i) => `import * as entry${i} from "${entry}";`)
      .join("\n")
      .concat("\nexport const nothing = 0;"),
    0.1,
  ],
};

mkdirSync("programs", { recursive: true });
for (const [name, bundle] of Object.entries(bundlers)) {
  await variant(name, async () => {
    const tooLarge = [];
    for (const [title, [code, rollup, vite = rollup, esbuild = rollup]] of Object.entries(programs)) {
      const slug = title.replaceAll(" ", "-");
      writeFileSync(`programs/${slug}.mjs`, code);
      const bytes = gzipSync(await bundle(`./programs/${slug}.mjs`, resolve("out", name, slug))).byteLength;
      const allowed = { rollup, vite, webpack: vite, esbuild }[name] * 1024;
      console.log(`${name}: ${title}: ${(bytes / 1024).toFixed(2)} KB`);
      if (bytes > allowed) tooLarge.push(`${title}: ${bytes} bytes instead of ${allowed}`);
    }
    if (tooLarge.length > 0) throw new Error(tooLarge.join("\n"));
  });
}
