import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createAdaptorServer, type ServerType } from "@hono/node-server";
import type { Browser, Page } from "playwright-core";
import { type ClientEvent, ServiceApi } from "serviceapi";
import { createEmulator, type EmulatorServer } from "serviceapi/emulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { createChat } from "../../../examples/chat/server.ts";
import { hasChromium, startChromium } from "../../support/chromium.ts";
import { clientOf } from "../../support/client.ts";
import { startServer } from "../../support/server.ts";

import { markdown } from "../support.ts";

describe.skipIf(!hasChromium)(
  "examples/chat in Chromium (skipped unless it is at /usr/bin/chromium or $CHROMIUM)",
  { timeout: 30_000 },
  () => {
    let browser: Browser;
    const emulator = createEmulator({ pace: 20 });
    let service: EmulatorServer;
    let page: Page;
    let chat: ServerType;
    const ends: string[] = [];
    const credentials = { clientId: "demo", clientSecret: "demo-secret" };

    /** Serves the chat of this client. */
    const start = async (api: ServiceApi) => {
      const server = createAdaptorServer({ fetch: createChat(api).fetch, overrideGlobalObjects: false });
      await once(server.listen(0, "127.0.0.1"), "listening");
      return server;
    };
    const addressOf = (server: ServerType) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    /** Opens the chat of this client for one test. */
    const open = async (api: ServiceApi) => {
      const server = await start(api);
      onTestFinished(() => void server.close());
      await page.goto(addressOf(server));
    };

    beforeAll(async () => {
      service = await emulator.listen();
      const onEvent = (event: ClientEvent) => event.type === "stream" && ends.push(event.end);
      chat = await start(new ServiceApi({ baseUrl: service.url, ...credentials, maxRetries: 0, onEvent }));
      browser = await startChromium();
    });

    afterAll(async () => {
      await browser?.close();
      chat?.close();
      await service?.close();
    });

    beforeEach(async () => {
      ends.length = 0;
      page = await browser.newPage();
      await page.goto(addressOf(chat));
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

    it("the stop button stops the call upstream", async () => {
      await say("/markdown /pace:200");
      await page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").length > 5);
      await page.click("#stop");
      await page.waitForSelector('.answer[data-state="aborted"]');
      expect(await page.locator(".note").textContent()).toBe("Stopped.");
      await expect.poll(() => ends).toEqual(["aborted"]);
    });

    it("a cut shows as a cut, with the text received so far", async () => {
      await say("/truncate");
      await page.waitForSelector('.answer[data-state="truncated"]');
      expect(await answer().textContent()).toContain("Fare quote");
      expect(await page.locator(".note").textContent()).toBe("The answer was cut short.");
      expect(ends).toEqual(["truncated"]);
    });

    it("silence shows as a cut", async () => {
      await open(new ServiceApi({ baseUrl: service.url, ...credentials, stream: { idleTimeout: 200 } }));
      await say("/markdown /stall:60000");
      await page.waitForSelector('.answer[data-state="truncated"]');
      expect(await page.locator(".note").textContent()).toBe("The answer was cut short.");
    });

    it("a failure shows as one, and the conversation goes on", async () => {
      await say("/fail");
      await page.waitForSelector('.answer[data-state="failed"]');
      await say("Hello again");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await answer().textContent()).toContain("Hello again");
    });

    it.each([
      ["the chunks are short of it", "/differs", "Hello world."],
      ["it came as one body, without a chunk", "/whole", "The gateway ignored stream:true."],
    ])("a response is shown whole if %s", async (_name, command, text) => {
      await say(command);
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await answer().textContent()).toBe(text);
      expect(await page.locator(".note").count()).toBe(0);
    });

    it("the completed text takes the place of chunks that differ", async () => {
      const reworded = { ...markdown.at(-1), system: { msg_id: "m", text: "Good morning." } };
      const body = JSON.stringify([...markdown.slice(0, -1), reworded]);
      const other = await startServer((response) => response.end(body));
      await open(clientOf(other));
      await say("Hello");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await answer().textContent()).toBe("Good morning.");
    });

    it.each(["authentication", "rate_limited", "html-502"] as const)(
      "a refusal shows as a failure and not as a cut: %s",
      async (name) => {
        emulator.on("ai.stream", name, { times: 1 });
        await say("Hello");
        // A message without text has no visible size.
        await page.waitForSelector('.answer[data-state="failed"]', { state: "attached" });
        expect(await answer().textContent()).toBe("");
        expect(await page.locator(".note").textContent()).toBe("The answer could not be completed.");
        await say("Hello again");
        await page.waitForSelector('.answer[data-state="completed"]');
      },
    );

    it("an error of the page's own server shows as a failure and not as a cut", async () => {
      await page.route("**/chat/*", (route) => route.fulfill({ status: 500 }));
      await say("Hello");
      await page.waitForSelector('.answer[data-state="failed"]', { state: "attached" });
      expect(await page.locator(".note").textContent()).toBe("The answer could not be completed.");
    });

    it("text of the model does not become HTML", async () => {
      await say("<img src=x onerror=\"document.title='owned'\"> **bold**");
      await page.waitForSelector('.answer[data-state="completed"]');
      expect(await page.locator(".answer img").count()).toBe(0);
      expect(await page.title()).toBe("Chat");
    });
  },
);
