import { describe, expect, it } from "vitest";
import { createEmulator } from "../../src/emulator/emulator.ts";
import { baseUrl, bodiesNaming, credentials, lookUp } from "./helpers.ts";

const long = "x".repeat(2_000_000);

describe("a name of two million characters", () => {
  const emulator = createEmulator({ webhook: { to: async () => new Response() } });

  it.each(bodiesNaming(long))("is refused in short: POST %s", async (route, body) => {
    const init = { method: "POST", body: JSON.stringify(body) };
    const response = await emulator.fetch(`${baseUrl}/__emulator/${route}`, init);
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(1_000);
  });

  it("is refused in a header", async () => {
    const response = await emulator.fetch(`${baseUrl}/verification/upimobile_multiple`, {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json", "x-emulator-response": long },
      body: JSON.stringify(lookUp("6000000002")),
    });
    expect([response.status, (await response.text()).length < 1_000]).toEqual([400, true]);
  });
});
