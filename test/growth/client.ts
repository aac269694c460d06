import { ServiceApi } from "../../src/index.ts";

export const settings = {
  baseUrl: "https://service.example",
  clientId: "id",
  clientSecret: "a/secret+of=these",
  maxRetries: 0,
};

/** Returns a client whose every call gets one response. */
export function respondWith(body: BodyInit, status: number, headers: Record<string, string>): ServiceApi {
  const fetch = async () => new Response(body, { status, headers });
  return new ServiceApi({ ...settings, maxResponseBytes: 64_000_000, fetch });
}
