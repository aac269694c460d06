/**
 * A shop for one flight, against the emulator, without credentials:
 *
 *   npx tsx examples/shop/main.ts
 *
 * Then open the URL that it prints.
 */
import { serve } from "@hono/node-server";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { memoryJournal } from "serviceapi/flights";
import { createShop } from "./server.ts";

const emulator = createEmulator();
const api = new ServiceApi({
  baseUrl: "https://emulator.example",
  clientId: "demo-client",
  clientSecret: "demo-secret",
  fetch: emulator.fetch,
});
// A real shop uses postgresJournal: what may be booked has to survive the process.
const shop = createShop(api, async () => emulator.seedSearch(), memoryJournal());

serve({ fetch: shop.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`Shop on http://localhost:${port}`);
});
