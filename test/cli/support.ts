import { onTestFinished } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";

/** The environment in which a command calls a service. */
export function environmentOf(url: string) {
  return {
    SERVICEAPI_BASE_URL: url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "demo-secret",
  };
}

/** Starts an emulator that listens until the test ends. */
export async function startEmulator() {
  const emulator = createEmulator({ pace: 0 });
  const { url, close } = await emulator.listen();
  onTestFinished(close);
  return { emulator, url, env: environmentOf(url) };
}
