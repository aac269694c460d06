import { existsSync } from "node:fs";
import { type ServerType, serve } from "@hono/node-server";
import { type Browser, chromium, type Page } from "playwright-core";
import { type ClientEvent, ServiceApi } from "serviceapi";
import { createEmulator, type EmulatorServer } from "serviceapi/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createChat } from "../../examples/chat/server.ts";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The rest of Chromium's flags keep it from calling home. */
const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

describe.skipIf(!existsSync(executablePath))(
  "examples/chat in Chromium (skipped where there is none at /usr/bin/chromium or $CHROMIUM)",
  { timeout: 30_000 },
  () => {
    let browser: Browser;
    let emulator: EmulatorServer;
    let server: ServerType;
    let page: Page;
    let url: string;
    const ends: string[] = [];

    beforeAll(async () => {
      emulator = await createEmulator({ pace: 20 }).listen();
      const onEvent = (event: ClientEvent) => event.type === "stream" && ends.push(event.end);
      const api = new ServiceApi({ baseUrl: emulator.url, clientId: "demo", clientSecret: "demo-secret", onEvent });
      url = await new Promise((resolve) => {
        server = serve({ fetch: createChat(api).fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
          resolve(`http://127.0.0.1:${port}`);
        });
      });
      browser = await chromium.launch({ executablePath, args });
    });

    afterAll(async () => {
      await browser?.close();
      server?.close();
      await emulator?.close();
    });

    beforeEach(async () => {
      ends.length = 0;
      page = await browser.newPage();
      await page.goto(url);
      return () => page.close();
    });

    const say = async (text: string) => {
      await page.fill("#text", text);
      await page.click("#send");
    };
    const answer = () => page.locator(".answer").last();

    it("text appears while it is being written, and becomes Markdown", async () => {
      await say("/markdown");
      await page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").length > 5);
      const early = await answer().textContent();
      expect(await answer().getAttribute("data-state")).toBe("streaming");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect((await answer().textContent())?.length).toBeGreaterThan((early ?? "").length);
      expect(await answer().locator("h1").textContent()).toBe("Fare quote in short");
      expect(await answer().locator("tr").count()).toBe(3);
      expect(await answer().locator("ol li").count()).toBe(3);
      expect(ends).toEqual(["completed"]);
    });

    it("stop stops it upstream", async () => {
      await say("/markdown /pace:200");
      await page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").length > 5);
      await page.click("#stop");
      await page.waitForSelector('.answer[data-state="aborted"]');
      expect(await page.locator(".note").textContent()).toBe("Stopped.");
      await vi.waitFor(() => expect(ends).toEqual(["aborted"]));
    });

    it("a cut shows as a cut, with the text that came", async () => {
      await say("/truncate");
      await page.waitForSelector('.answer[data-state="truncated"]');
      expect(await answer().textContent()).toContain("Fare quote");
      expect(await page.locator(".note").textContent()).toBe("The answer was cut short.");
      expect(ends).toEqual(["truncated"]);
    });

    it("a failure shows as one, and the conversation goes on", async () => {
      await say("/fail");
      await page.waitForSelector('.answer[data-state="failed"]');
      await say("Hello again");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await answer().textContent()).toContain("Hello again");
    });

    it("what a model writes never becomes HTML", async () => {
      await say("<img src=x onerror=\"document.title='owned'\"> **bold**");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await page.locator(".answer img").count()).toBe(0);
      expect(await page.title()).toBe("Chat");
    });
  },
);
