/**
 * A chat in the browser, against the emulator, without credentials:
 *
 *   npx tsx examples/chat/main.ts
 *
 * Then open the URL that it prints and send a message. `/markdown`, `/hindi`, `/truncate` and `/fail` show more.
 */
import { serve } from "@hono/node-server";
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { createChat } from "./server.ts";

const emulator = await createEmulator({ pace: 60 }).listen();
const api = new ServiceApi({ baseUrl: emulator.url, clientId: "demo-client", clientSecret: "demo-secret" });

serve({ fetch: createChat(api).fetch, port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`Chat on http://localhost:${port}`);
});
