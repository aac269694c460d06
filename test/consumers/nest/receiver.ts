import { ServiceApi } from "serviceapi";
import { createEmulator } from "serviceapi/emulator";
import { hmac, memoryStore, Webhooks } from "serviceapi/webhooks";

export const signature = hmac({ header: "x-signature", secrets: ["of this application alone"] });
/** The references that took effect, and the reasons of refusals. */
export const credited: string[] = [];
export const refusals: string[] = [];

export const handler = new Webhooks({ auth: [signature], store: memoryStore(), findOrder: () => 1500.5 }).handler({
  SUCCESS: (event) => credited.push(event.client_referenceId),
  FAILED() {},
  REJECTED() {},
  onFailure: (error) => refusals.push(String(error)),
});

/** The service of the streams. */
export const api = new ServiceApi({
  baseUrl: "https://emulator.example",
  clientId: "demo-client",
  clientSecret: "demo-secret",
  fetch: createEmulator({ pace: 0 }).fetch,
});
