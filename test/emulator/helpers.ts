import { readFileSync } from "node:fs";
import type { Emulator } from "../../src/emulator/emulator.ts";

export const baseUrl = "https://emulator.example";
export const aiPath = "api/serviceapi-prod/api/ai/create-response";

/** A still clock on the day for which the samples were written. */
export const now = "2026-11-20T06:00:00Z";

export const credentials = { "client-id": "demo-client", "client-secret": "demo-secret" };

/** A request as the document shows it. */
export function post(
  emulator: Pick<Emulator, "fetch">,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> {
  return emulator.fetch(`${baseUrl}/${path}`, {
    method: "POST",
    headers: { ...credentials, "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    ...init,
  });
}

// biome-ignore format: one line
export const lookUp = (vpa_mobile: string) => ({ consent: "Y", vpa_mobile, clientData: { client_id: "demo-client-0001" } });

export const ask = (text: string, more: object = {}) => ({ client_referenceId: "ai-1", user: { text }, ...more });

/** A sample as it stands in its file. */
export const sample = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../src/emulator/samples/${name}.json`, import.meta.url), "utf8"));

export async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
