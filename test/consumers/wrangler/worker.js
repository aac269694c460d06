import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

// Once an isolate, when a Worker has no I/O, no timers and no randomness.
let secret = "";
const webhooks = new Webhooks({
  auth: [hmac({ header: "x-signature", secrets: [() => secret] })],
  store: memoryStore(),
  findOrder: () => 1500.5,
});
const handler = webhooks.handler({ SUCCESS: async () => {}, FAILED: async () => {}, REJECTED: async () => {} });

const routes = {
  "/hook": (request, _env, context) => handler(request, context),

  /** Relays a stream of the service. */
  async "/chat"(request, env) {
    const { text } = await request.json();
    const api = new ServiceApi({ baseUrl: env.BASE_URL, clientId: "demo", clientSecret: "demo-secret" });
    return api.ai.stream({ user: { text } }, { signal: request.signal }).toResponse();
  },

  /** The whole service in a Worker. */
  async "/emulator"() {
    const emulator = createEmulator({ pace: 0 });
    const options = { baseUrl: "https://emulator.example", clientId: "demo", clientSecret: "demo" };
    const api = new ServiceApi({ ...options, fetch: emulator.fetch });
    emulator.on("verification.findVpas", "unavailable", { times: 1 });
    const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    const text = await api.ai.stream({ user: { text: "hello" } }).finalText();
    const refused = await emulator.listen().catch((error) => error);
    await refused.close?.();
    return Response.json({ vpas: vpaList.length, text, listen: refused.kind ?? "listens" });
  },
};

export default {
  fetch(request, env, context) {
    secret = env.WEBHOOK_SECRET;
    const route = routes[new URL(request.url).pathname];
    return route?.(request, env, context) ?? new Response("not found", { status: 404 });
  },
};
