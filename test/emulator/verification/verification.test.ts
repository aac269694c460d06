import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { findVpas } from "../../../src/verification/operations.ts";
import { bodyOf, caught, lookUp, post, sample } from "../helpers.ts";

const path = "verification/upimobile_multiple";

describe("the emulator's VPA look-up (§4.1)", () => {
  it.each([
    ["6000000001", 200, "success-multiple"],
    ["6000000002", 200, "success-single"],
    ["6000000003", 200, "success-unknown-account-status"],
    ["6000000004", 200, "success-inconsistent"],
    ["6000000005", 200, "success-number-status-code"],
    ["6000000404", 404, "failed-404-not-found"],
  ])("responds to %s with HTTP %i and the sample %s", async (mobile, status, name) => {
    const response = await post(createEmulator(), path, lookUp(mobile));
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(sample(`verification/${name}`));
  });

  it("responds to another number with the same ending about that number", async () => {
    const body = await bodyOf(createEmulator(), path, lookUp("9876540001"));
    expect(body).toMatchObject({ vpa: "9876540001@examplebank", clientData: { mobile: "9876540001" } });
  });

  it("says that a look-up is pending for 0102", async () => {
    const response = await post(createEmulator(), path, lookUp("9876540102"));
    expect(await response.json()).toMatchObject({ status: "pending", statusCode: "102" });
  });

  it("refuses 0429 twice with Retry-After, then succeeds", async () => {
    const emulator = createEmulator({ retryAfter: 1_000 });
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await post(emulator, path, lookUp("9876540429")));
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
    expect(answers.map(({ headers }) => headers.get("retry-after"))).toEqual(["1", "1", null]);
  });

  it("sends no response for 0504 until the caller gives up", async () => {
    const stop = new AbortController();
    const emulator = createEmulator();
    const answer = caught(post(emulator, path, lookUp("9876540504"), {}, { signal: stop.signal }));
    await expect.poll(() => emulator.requests).toHaveLength(1);
    stop.abort(new Error("enough"));
    expect(await answer).toMatchObject({ message: "enough" });
  });

  it.each(["12345", "5876543210", "+919876543210", "98765432101"])(
    "refuses %s as the document shows (§7.1)",
    async (mobile) => {
      const response = await post(createEmulator(), path, lookUp(mobile));
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual(sample("verification/failed-400-invalid-mobile"));
    },
  );

  it.each([{ consent: "N" }, { consent: undefined }])("refuses the consent %o", async (change) => {
    const response = await post(createEmulator(), path, { ...lookUp("6000000001"), ...change });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ message: "Consent is required" });
  });

  it("echoes any client id unchanged", async () => {
    const clientData = { client_id: 'my "own" id' };
    const response = await post(createEmulator(), path, { ...lookUp("6000000001"), clientData });
    expect((await response.json()).clientData.client_id).toBe('my "own" id');
  });

  it("names the field if the client data are missing", async () => {
    const response = await post(createEmulator(), path, { consent: "Y", vpa_mobile: "6000000001" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ statusCode: "400", message: expect.stringContaining("clientData") });
  });

  it("derives any other response from the digits alone, as the client's own schema wants it", async () => {
    for (const mobile of ["9876543210", "9876543211", "9876543212", "7000000000"]) {
      const texts = await Promise.all(
        [1, 2].map(async () => (await post(createEmulator(), path, lookUp(mobile))).text()),
      );
      expect(texts[0]).toBe(texts[1]);
      const body: unknown = JSON.parse(texts[0] ?? "");
      expect(await findVpas.body["~standard"].validate(body)).not.toHaveProperty("issues");
      expect(body).toMatchObject({ status: "success", statusCode: "101", vpa: `${mobile}@demoupi` });
    }
  });

  it("refuses by name for any number", async () => {
    const headers = { "X-Emulator-Response": "rate_limited" };
    const response = await post(createEmulator(), path, lookUp("6000000001"), headers);
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, "2"]);
  });
});
