import { describe, expect, it } from "vitest";
import { signedDelivery } from "../../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { basic, hmac, memoryStore, standardWebhooks, Webhooks } from "../../../src/webhooks/index.ts";

const secrets = ["a secret of at least a few words"];

describe("signedDelivery()", () => {
  it.each([
    ["hmac", hmac({ header: "x-signature", secrets, prefix: "sha256=", encoding: "base64" })],
    [
      "hmac with a timestamp and a nonce",
      hmac({ header: "s", secrets, timestampHeader: "t", nonceHeader: "n", signed: "timestamp.nonce.body" }),
    ],
    ["standardWebhooks", standardWebhooks({ secrets: ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"] })],
    ["basic", basic({ credentials: [{ username: "u", password: "a password" }] })],
  ])("passes a receiver that checks %s", async (_, auth) => {
    const seen: unknown[] = [];
    const webhooks = new Webhooks({ auth: [auth], store: memoryStore(), findOrder: "none" });
    const handler = webhooks.handler({ SUCCESS: (event) => void seen.push(event), FAILED() {}, REJECTED() {} });
    const request = await signedDelivery({ auth, client_referenceId: "order-17", amount: 100 });
    const response = await handler(request);
    expect(await response.json()).toMatchObject({ status: "SUCCESS", client_referenceId: "order-17" });
    expect(seen).toMatchObject([{ status: "SUCCESS", txn_amount: 100, utr: expect.any(String) }]);
  });

  it("fails where the scheme differs", async () => {
    const webhooks = new Webhooks({
      auth: [hmac({ header: "x-signature", secrets })],
      store: memoryStore(),
      findOrder: "none",
    });
    const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
    const other = hmac({ header: "x-signature", secrets: ["another secret of a few words"] });
    for (const auth of [other, "none"] as const) {
      const response = await handler(await signedDelivery({ auth, client_referenceId: "r" }));
      expect(await response.json()).toMatchObject({ status: "FAILED" });
    }
  });

  it("sends an outcome, a sample, or an exact event to any URL", async () => {
    const body = async (request: Request) => JSON.parse(await request.text());
    expect(await body(await signedDelivery({ auth: "none", outcome: "FAILED" }))).toMatchObject({
      status: "FAILED",
      txn_amount: 9900,
    });
    expect(await body(await signedDelivery({ auth: "none", outcome: "unknown-status" }))).toHaveProperty("status");
    const event = '{"status": "SUCCESS"}';
    const exact = await signedDelivery({ auth: "none", event, url: "http://127.0.0.1:3000/hook" });
    expect([exact.url, exact.method, await exact.text()]).toEqual(["http://127.0.0.1:3000/hook", "POST", event]);
  });

  it("signs at the given time, with the given identifier", async () => {
    const auth = hmac({ header: "s", secrets, timestampHeader: "t", nonceHeader: "n", signed: "timestamp.nonce.body" });
    const { headers } = await signedDelivery({ auth, now: 1_700_000_000_000, id: "evt-1" });
    expect([headers.get("t"), headers.get("n")]).toEqual(["1700000000", "evt-1"]);
  });

  it("says that a check fails to sign by a ConfigurationError, as its documentation does", async () => {
    const sign = async () => Promise.reject(new TypeError("a secret of mine"));
    const failed = signedDelivery({ auth: { name: "own", check: () => undefined, sign } });
    await expect(failed).rejects.toThrow(ConfigurationError);
    await expect(failed).rejects.toThrow("signedDelivery: a check could not sign: its `sign` threw");
  });

  it.each([
    [{ auth: "none", now: 1 }, /`now` has no effect/],
    [{ auth: "none", outcome: "SUCESS" }, /no outcome "SUCESS"\. Did you mean SUCCESS/],
    [{ auth: "none", event: {}, amount: 1 }, /pass either `event` or `amount`/],
    [{ auth: {} }, /`auth` must be a check/],
    [{}, /`auth` is missing/],
    [undefined, /signedDelivery/],
    [{ auth: undefined, amount: 100 }, /`auth` is missing/],
    [{ auth: "none", url: "" }, /`url` must be a non-empty string/],
  ])("refuses %j", async (options, message) => {
    const refused = signedDelivery(options as never);
    await expect(refused).rejects.toThrow(ConfigurationError);
    await expect(refused).rejects.toThrow(message);
  });
});
