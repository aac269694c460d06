import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { clientOf } from "../helpers.ts";

describe("a request that the emulator received", () => {
  it("keeps no credential of its headers, whatever the header is called", async () => {
    const emulator = createEmulator();
    const credentials = {
      authorization: "Bearer t0k3n-of-a-gateway",
      "proxy-authorization": "Basic t0k3n",
      cookie: "session=t0k3n",
      "x-api-key": "t0k3n",
      "x-auth-token": "t0k3n",
    };
    const others = { "idempotency-key": "order-17", "x-request-source": "test" };
    const headers = { ...credentials, ...others };
    const api = clientOf(emulator, { clientSecret: "t0k3n-of-the-client", headers });
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    const [received] = emulator.requests;
    const redacted = Object.fromEntries(Object.keys(credentials).map((name) => [name, "[redacted]"]));
    expect(received?.headers).toMatchObject({ ...others, ...redacted, "client-id": "demo-client" });
    expect(JSON.stringify(emulator.requests)).not.toContain("t0k3n");
  });
});
