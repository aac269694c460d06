/**
 * A shop for one flight, against the emulator, without credentials:
 *
 *   npx tsx examples/shop/main.ts
 *
 * Then open the URL that it prints.
 */
import { serve } from "@hono/node-server";
import { memoryJournal } from "serviceapi/flights";
import { connect } from "../connect.ts";
import { createShop } from "./server.ts";

const { api, search, emulator } = connect();
// A real shop uses postgresJournal: what may be booked has to survive the process.
const shop = createShop(api, async () => emulator?.seedSearch() ?? search, memoryJournal());

serve({ fetch: shop.fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`Shop on http://localhost:${port}`);
});
