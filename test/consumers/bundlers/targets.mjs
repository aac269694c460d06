/** Where the bundles run: Node, Chromium and workerd. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { Miniflare } from "miniflare";
import { chromium } from "playwright-core";

export const chromiumPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(chromiumPath);

/** Runs `node.mjs` of a folder, and returns what it printed. */
export async function runInNode(folder) {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "node.mjs")]);
  return stdout.trim();
}

/** Runs `worker.mjs` of a folder in workerd, and returns the text of its response. */
export async function runInWorkerd(folder, flags) {
  const miniflare = new Miniflare({
    modules: [{ type: "ESModule", path: "worker.mjs", contents: readFileSync(join(folder, "worker.mjs"), "utf8") }],
    compatibilityDate: "2026-07-01",
    compatibilityFlags: flags,
    // Not looked up at Cloudflare.
    cf: false,
  });
  try {
    const response = await miniflare.dispatchFetch(
      `http://worker.example/${flags.includes("nodejs_compat") ? "node" : ""}`,
    );
    return await response.text();
  } finally {
    await miniflare.dispose();
  }
}

let browser;

/** The rest of Chromium's flags keep it from calling home. */
const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"].concat([
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]);

/** Loads `browser.mjs` of a folder in a page of its own, runs one of its tests, and returns its result. */
export async function runInChromium(folder, test) {
  browser ??= await chromium.launch({ executablePath: chromiumPath, args });
  const server = createServer((request, response) => serve(folder, request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    await page.waitForFunction("globalThis.tests");
    return await page.evaluate((name) => globalThis.tests[name](), test);
  } finally {
    await context.close();
    server.close();
    server.closeAllConnections();
  }
}

export const closeChromium = async () => browser?.close();

function serve(folder, { url }, response) {
  const name = url.slice(1);
  const path = name === "mockServiceWorker.js" ? `node_modules/msw/lib/${name}` : join(folder, name);
  if (name === "") {
    response.writeHead(200, { "content-type": "text/html" });
    response.end('<!doctype html><script type="module" src="/browser.mjs"></script>');
  } else if (existsSync(path)) {
    response.writeHead(200, { "content-type": "text/javascript" }).end(readFileSync(path));
  } else {
    response.writeHead(404).end();
  }
}
