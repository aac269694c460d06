import { clientOf, errorOf, nowhere } from "./client.ts";

/**
 * Loads what the library loads later, by calls that need it: the retries and the reader of streams. Loading takes real
 * time, so a test that stops the clock does it before.
 */
export async function loadLaterParts(): Promise<void> {
  const api = clientOf(nowhere, { fetch: async () => new Response("", { status: 503 }) });
  await errorOf(api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }));
  await errorOf(api.ai.stream({ user: { text: "Hello" } }).finalResponse());
}
