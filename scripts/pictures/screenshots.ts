/**
 * Draws pages in Chromium (at /usr/bin/chromium or $CHROMIUM): `npx tsx scripts/pictures/screenshots.ts` writes
 * docs/console.webp, the emulator's console in the middle of a test, and docs/chat.webp, the page of examples/chat.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import type { Page } from "playwright-core";
import { ServiceApi } from "serviceapi";
import { createEmulator, type Emulator } from "serviceapi/emulator";
import { Webhooks } from "serviceapi/webhooks";
import { createChat } from "../../examples/chat/server.ts";
import { startChromium } from "../../test/support/chromium.ts";
import { passenger } from "../../test/support/passenger.ts";

const credentials = { clientId: "demo-client", clientSecret: "demo-secret" };
await drawConsole();
await drawChat();

async function drawConsole(): Promise<void> {
  const emulator = createEmulator({ pace: 0, now: "2026-11-20T06:00:00Z" });
  const server = await emulator.listen({ console: true });
  const api = new ServiceApi({ baseUrl: server.url, ...credentials, maxRetries: 0 });

  let deliveries = 0;
  emulator.deliverTo(async (request) => {
    deliveries += 1;
    const acknowledgement = new Webhooks().acknowledge(await request.json(), "SUCCESS");
    return Response.json(acknowledgement, { status: deliveries === 1 ? 500 : 200 });
  });

  await drawPage("console.webp", { width: 1000, height: 600, quality: 60 }, async (page) => {
    await page.goto(server.url);
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    await page.getByRole("switch", { name: "Lost booking responses" }).click();
    await book(api, emulator).catch(() => {});
    emulator.on("verification.findVpas", "unavailable", { times: 2 });
    await api.verification.findVpas({ vpa_mobile: "6000000002", consent: "Y" }).catch(() => {});
    await (await api.ai.stream({ user: { text: "Which train do I take?" } })).finalText();
    await page.getByRole("button", { name: "SUCCESS" }).click();
    await page.getByText("HTTP status is not 200").waitFor();
    await page.getByRole("button", { name: "+1 min" }).click();
    await page.getByText("delivered", { exact: true }).waitFor();
    await page.mouse.move(0, 0);
  });
  await server.close();
}

async function book(api: ServiceApi, emulator: Emulator): Promise<void> {
  const search = emulator.seedSearch();
  const quote = await api.flights.fareQuote(search);
  const [offer] = quote.data.result;
  if (offer === undefined) throw new Error("The quote is empty.");
  await api.flights.book({ trace_id: search.trace_id, token: offer.token, passengers: [passenger()] });
}

async function drawChat(): Promise<void> {
  const emulator = createEmulator({ pace: 5 });
  const api = new ServiceApi({ baseUrl: "https://emulator.example", ...credentials, fetch: emulator.fetch });
  const server = serve({ fetch: createChat(api).fetch, port: 0 });
  const address = server.address();

  await drawPage("chat.webp", { width: 760, height: 860, quality: 70 }, async (page) => {
    await page.goto(`http://localhost:${typeof address === "object" ? address?.port : ""}`);
    await page.fill("#text", "/markdown What is a fare quote?");
    await page.click("#send");
    await page.waitForSelector('.answer[data-state="completed"]');
    await page.fill("#text", "/hindi /pace:30 Now say it in Hindi.");
    await page.click("#send");
    await page.waitForFunction(() => (document.querySelectorAll(".answer")[1]?.textContent ?? "").includes("👨‍👩‍👧‍👦"));
  });
  server.close();
}

/**
 * Draws a page into a file of `docs/`, as WebP, which is half the size of a PNG or less: the package carries it.
 *
 * @param picture - The window in pixels, and the quality from 0 to 100.
 * @param arrange - Brings the page to what is shown.
 */
async function drawPage(
  file: string,
  { quality, ...viewport }: Readonly<Record<"width" | "height" | "quality", number>>,
  arrange: (page: Page) => Promise<void>,
): Promise<void> {
  const browser = await startChromium();
  const page = await browser.newPage({ viewport, colorScheme: "light" });
  await arrange(page);
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality });
  writeFileSync(fileURLToPath(new URL(`../../docs/${file}`, import.meta.url)), Buffer.from(data, "base64"));
  await browser.close();
}
