/**
 * Renders docs/chat.webp again: `npx tsx examples/chat/screenshot.ts`, with Chromium at /usr/bin/chromium or $CHROMIUM.
 */
import { writeFile } from "node:fs/promises";
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
const png = await page.screenshot();
// Half the size of the PNG, which the package would carry.
const webp = await page.evaluate(async (base64) => {
  const image = new Image();
  image.src = `data:image/png;base64,${base64}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", 0.7).replace(/^.*,/, "");
}, png.toString("base64"));
await writeFile(fileURLToPath(new URL("../../docs/chat.webp", import.meta.url)), Buffer.from(webp, "base64"));

await browser.close();
server.close();
