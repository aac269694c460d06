import { ServiceApi } from "serviceapi";
import { createEmulator, type SearchName } from "serviceapi/emulator";

/**
 * Returns a client for the examples. It calls the service that the environment names (`SERVICEAPI_BASE_URL`,
 * `SERVICEAPI_CLIENT_ID`, `SERVICEAPI_CLIENT_SECRET`, and `TRACE_ID`, `TOKEN` of a flight search), or else an emulator
 * in this process.
 *
 * In your own program, use `new ServiceApi()`.
 */
export function connect(name?: SearchName) {
  const { SERVICEAPI_BASE_URL, TRACE_ID = "", TOKEN = "" } = process.env;
  if (SERVICEAPI_BASE_URL) return { api: new ServiceApi(), search: { trace_id: TRACE_ID, token: TOKEN } };
  const emulator = createEmulator();
  const api = new ServiceApi({
    baseUrl: "https://emulator.example",
    clientId: "demo-client",
    clientSecret: "demo-secret",
    fetch: emulator.fetch,
  });
  return { api, search: emulator.seedSearch(name), emulator };
}
