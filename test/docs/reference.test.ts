import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { Application } from "typedoc";
import { afterAll, describe, expect, it } from "vitest";
import { hasChromium, startChromium } from "../support/chromium.ts";
import { listen } from "../support/server.ts";

const folder = await mkdtemp(join(tmpdir(), "serviceapi-reference-"));
afterAll(() => rm(folder, { recursive: true }));

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** Serves the files of the reference, as its host does. */
const serve: RequestListener = async ({ url = "/" }, response) => {
  const file = decodeURIComponent(new URL(url, "http://localhost").pathname.replace(/\/$/, "/index.html"));
  try {
    const content = await readFile(join(folder, file));
    response.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(content);
  } catch {
    response.writeHead(404).end();
  }
};

// TypeDoc reads all sources: on a busy machine that takes minutes.
describe("the API reference", { timeout: 900_000 }, () => {
  it("is written without a warning, such as one of a link that leads nowhere", async () => {
    const app = await Application.bootstrapWithPlugins({ outputs: [{ name: "html", path: folder }], logLevel: "Warn" });
    const project = await app.convert();
    if (project === undefined) throw new Error("TypeDoc could not read the sources.");
    app.validate(project);
    await app.generateOutputs(project);
    expect([app.logger.warningCount, app.logger.errorCount]).toEqual([0, 0]);
  });

  it.skipIf(!hasChromium)("finds a function, a class of errors and a guide in Chromium", async () => {
    const { url } = await listen(serve);
    const browser = await startChromium();
    try {
      const page = await browser.newPage();
      for (const [word, path] of [
        ["checkCallback", "/functions/serviceapi_callback-url.checkCallbackUrl.html"],
        ["RateLimitErr", "/classes/serviceapi.RateLimitError.html"],
        ["going-li", "/documents/going-live.html"],
      ] as const) {
        await page.goto(url);
        await page.locator("#tsd-search-trigger").click();
        await page.locator("#tsd-search-input").fill(word);
        await page.locator("#tsd-search-results a").first().click();
        await page.waitForURL(/\.html/);
        expect(new URL(page.url()).pathname).toBe(path);
      }
    } finally {
      await browser.close();
    }
  });
});
