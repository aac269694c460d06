/** The handlers of the routes, which are the same on both runtimes. */
import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

export function createHook() {
  const webhooks = new Webhooks({
    auth: [hmac({ header: "x-signature", secrets: [() => process.env.SERVICEAPI_WEBHOOK_SECRET ?? ""] })],
    store: memoryStore(),
    findOrder: () => 1500.5,
  });
  return webhooks.handler({ SUCCESS: async () => {}, FAILED: async () => {}, REJECTED: async () => {} });
}

/** Relays a stream of the service at SERVICEAPI_BASE_URL. */
export async function chat(request: Request): Promise<Response> {
  const { text } = (await request.json()) as { text: string };
  const api = new ServiceApi({ clientId: "demo", clientSecret: "demo-secret" });
  return api.ai.stream({ user: { text } }, { signal: request.signal }).toResponse({ format: "sse" });
}

/** The whole service in this runtime. */
export async function emulate(): Promise<Response> {
  const { fetch } = createEmulator({ pace: 0 });
  const api = new ServiceApi({ baseUrl: "https://emulator.example", clientId: "demo", clientSecret: "demo", fetch });
  const { vpaList } = await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  return Response.json({ vpas: vpaList.length, text: await api.ai.stream({ user: { text: "hello" } }).finalText() });
}
