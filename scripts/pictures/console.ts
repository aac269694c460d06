/**
 * Draws docs/console.webp again, the emulator's console in the middle of a test: `npx tsx scripts/pictures/console.ts`,
 * with Chromium at /usr/bin/chromium or $CHROMIUM.
 */
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { Webhooks } from "serviceapi/webhooks";
import { drawScreenshot } from "./screenshot.ts";

const emulator = createEmulator({ pace: 0, now: "2026-11-20T06:00:00Z" });
const server = await emulator.listen({ console: true });
const api = new ServiceApi({
  baseUrl: server.url,
  clientId: "demo-client",
  clientSecret: "demo-secret",
  maxRetries: 0,
});

let deliveries = 0;
emulator.deliverTo(async (request) => {
  deliveries += 1;
  const acknowledgement = new Webhooks().acknowledge(await request.json(), "SUCCESS");
  return Response.json(acknowledgement, { status: deliveries === 1 ? 500 : 200 });
});

await drawScreenshot({
  ...{ file: "console.webp", viewport: { width: 1000, height: 600 }, quality: 0.6 },
  arrange: async (page) => {
    await page.goto(server.url);
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    await page.getByRole("switch", { name: "Lost booking responses" }).click();
    await book().catch(() => {});
    emulator.on("verification.findVpas", "unavailable", { times: 2 });
    await api.verification.findVpas({ vpa_mobile: "6000000002", consent: "Y" }).catch(() => {});
    await (await api.ai.stream({ user: { text: "Which train do I take?" } })).finalText();
    await page.getByRole("button", { name: "SUCCESS" }).click();
    await page.getByText("HTTP status is not 200").waitFor();
    await page.getByRole("button", { name: "+1 min" }).click();
    await page.getByText("delivered", { exact: true }).waitFor();
    await page.mouse.move(0, 0);
  },
});
await server.close();

async function book(): Promise<void> {
  const search = emulator.seedSearch();
  const quote = await api.flights.fareQuote(search);
  const [offer] = quote.data.result;
  if (offer === undefined) throw new Error("The quote is empty.");
  const name = { title: "Mr", fname: "RAVI", lname: "SAMPLE", gender: "M", dob: "1988-07-14" } as const;
  const contact = { mobile: "6000000001", email: "traveller@example.in", address: "11 Placeholder Road" };
  const home = { city: "Samplepur", country: "India", country_code: "IN" };
  const passengers = [{ ...name, ...contact, ...home, passenger_type: "adult" as const }];
  await api.flights.book({ trace_id: search.trace_id, token: offer.token, passengers });
}
