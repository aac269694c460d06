/**
 * Renders docs/chat.png again: `npx tsx examples/chat/screenshot.ts`, with Chromium at /usr/bin/chromium or $CHROMIUM.
 */
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { chromium } from "playwright-core";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { createChat } from "./server.ts";

const emulator = createEmulator({ pace: 5 });
const api = new ServiceApi({
  baseUrl: "https://emulator.example",
  clientId: "demo-client",
  clientSecret: "demo-secret",
  fetch: emulator.fetch,
});
const server = serve({ fetch: createChat(api).fetch, port: 0 });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
const page = await browser.newPage({ viewport: { width: 760, height: 860 }, colorScheme: "light" });
const address = server.address();
await page.goto(`http://localhost:${typeof address === "object" ? address?.port : ""}`);

await page.fill("#text", "/markdown What is a fare quote?");
await page.click("#send");
await page.waitForSelector('.answer[data-state="completed"]');
await page.fill("#text", "/hindi /pace:30 Now say it in Hindi.");
await page.click("#send");
await page.waitForFunction(() => (document.querySelectorAll(".answer")[1]?.textContent ?? "").includes("👨‍👩‍👧‍👦"));
await page.screenshot({ path: fileURLToPath(new URL("../../docs/chat.png", import.meta.url)) });

await browser.close();
server.close();
