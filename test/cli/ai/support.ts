import { onTestFinished } from "vitest";
import { createEmulator, type Emulator } from "../../../src/emulator/emulator.ts";

/** Starts an emulator, with the environment in which a command calls it. */
export async function startService(): Promise<{
  readonly emulator: Emulator;
  readonly env: Readonly<Record<string, string>>;
}> {
  const emulator = createEmulator({ pace: 0 });
  const server = await emulator.listen();
  onTestFinished(() => server.close());
  return {
    emulator,
    env: {
      SERVICEAPI_BASE_URL: server.url,
      SERVICEAPI_CLIENT_ID: "demo-client",
      SERVICEAPI_CLIENT_SECRET: "demo-secret-of-this-test",
    },
  };
}
