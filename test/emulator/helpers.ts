import { onTestFinished } from "vitest";
import type { Emulator, EmulatorServer, ListenOptions } from "../../src/emulator/emulator.ts";
import { type ClientOptions, ServiceApi } from "../../src/index.ts";
import { sample as sampleOf } from "../support/client.ts";

export const baseUrl = "https://emulator.example";
export const aiPath = "api/serviceapi-prod/api/ai/create-response";

/** The start of a clock that stays on the day that the samples were written for. */
export const now = "2026-11-20T06:00:00Z";

export const credentials = { "client-id": "demo-client", "client-secret": "demo-secret" };

/** A client of an emulator, without retries. */
export function clientOf(emulator: Pick<Emulator, "fetch">, options: ClientOptions = {}): ServiceApi {
  const [clientId, clientSecret] = [credentials["client-id"], credentials["client-secret"]];
  return new ServiceApi({ baseUrl, clientId, clientSecret, maxRetries: 0, fetch: emulator.fetch, ...options });
}

/** Sends a request as the document shows it. */
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

/** Returns a sample as its file has it, without a type. */
export function sample(name: string) {
  return sampleOf<ReturnType<typeof JSON.parse>>(name);
}

/** The body of a response as JSON, without a type. */
export async function bodyOf(...request: Parameters<typeof post>): Promise<ReturnType<typeof JSON.parse>> {
  return (await post(...request)).json();
}

/** A server of an emulator, which is closed after the test. */
export async function listen(emulator: Emulator, options?: ListenOptions): Promise<EmulatorServer> {
  const server = await emulator.listen(options);
  onTestFinished(() => server.close());
  return server;
}

export async function caught(promise: PromiseLike<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** Requests to the controls of an emulator that hold a name, by route. */
export function bodiesNaming(name: string): readonly (readonly [route: string, body: object])[] {
  return [
    ["searches", { name }],
    ["payouts", { outcome: name }],
    ["payouts", { plan: name }],
    ["fire", { outcome: name }],
    ["rules", { response: name }],
    ["rules", { response: `${name}:7` }],
    ["rules", { response: "reset", operation: name }],
    ["withdraw", { id: name }],
    ["rules", { operation: "flights.book", response: { [name]: 1 } }],
    ["rules", { operation: name, response: {} }],
    ["rules", { operation: "flights.book", response: name }],
    ["reset", { [name]: 1 }],
  ];
}
