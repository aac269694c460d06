/**
 * Draws docs/chat.webp again, the page of examples/chat: `npx tsx scripts/pictures/chat.ts`, with Chromium at
 * /usr/bin/chromium or $CHROMIUM.
 */
import { serve } from "@hono/node-server";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { createChat } from "../../examples/chat/server.ts";
import { drawScreenshot } from "./screenshot.ts";

const emulator = createEmulator({ pace: 5 });
const api = new ServiceApi({
  baseUrl: "https://emulator.example",
  clientId: "demo-client",
  clientSecret: "demo-secret",
  fetch: emulator.fetch,
});
const server = serve({ fetch: createChat(api).fetch, port: 0 });
const address = server.address();

await drawScreenshot({
  ...{ file: "chat.webp", viewport: { width: 760, height: 860 }, quality: 0.7 },
  arrange: async (page) => {
    await page.goto(`http://localhost:${typeof address === "object" ? address?.port : ""}`);
    await page.fill("#text", "/markdown What is a fare quote?");
    await page.click("#send");
    await page.waitForSelector('.answer[data-state="completed"]');
    await page.fill("#text", "/hindi /pace:30 Now say it in Hindi.");
    await page.click("#send");
    await page.waitForFunction(() => (document.querySelectorAll(".answer")[1]?.textContent ?? "").includes("👨‍👩‍👧‍👦"));
  },
});
server.close();
