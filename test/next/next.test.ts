import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hmac, type SignedDelivery, sign } from "../../src/webhooks/index.ts";
import { eventOf } from "../webhooks/support.ts";
import { type RunningApplication, startApplication } from "./application.ts";

const secret = "of this run alone";
const event = eventOf("SUCCESS", { client_referenceId: "po-next", description: "₹ नमस्ते" });
const signedWith = (key: string) => sign(event, hmac({ header: "x-signature", secrets: [key] }));

describe("examples/webhooks-next, built and started by Next.js, over real HTTP", () => {
  let application: RunningApplication;
  beforeAll(async () => {
    application = await startApplication({ SERVICEAPI_WEBHOOK_SECRET: secret });
  });
  afterAll(() => application?.stop());

  const post = async ({ headers, body }: SignedDelivery) => {
    const response = await fetch(`${application.url}/webhooks/payouts`, { method: "POST", headers, body });
    return { response, ack: await response.json() };
  };

  it.each([
    ["signed with another secret", "po-next", async () => signedWith("another secret")],
    [
      "changed on the way",
      "po-next",
      async () => {
        const { headers, body } = await signedWith(secret);
        return { headers, body: body.replace("1500.5", "9999.5") };
      },
    ],
    ["of 65 KiB", "", async () => ({ ...(await signedWith(secret)), body: "x".repeat(65 * 1024 + 1) })],
  ])("refuses a delivery %s with HTTP 200 and JSON, and names no technology", async (_, named, delivery) => {
    const { response, ack } = await post(await delivery());
    expect([response.status, ack.status, ack.client_referenceId]).toEqual([200, "FAILED", named]);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    for (const header of ["x-powered-by", "server"]) expect(response.headers.has(header)).toBe(false);
  });

  it("acknowledges a signed delivery SUCCESS, and its redelivery DUPLICATE", async () => {
    const delivery = await signedWith(secret);
    const { ack } = await post(delivery);
    expect(ack).toEqual({
      http_status: true,
      status: "SUCCESS",
      client_referenceId: "po-next",
      statusCode: "200",
      acknowledged: "1",
    });
    expect((await post(delivery)).ack.status).toBe("DUPLICATE");
  });

  it("names no technology on other pages either", async () => {
    const response = await fetch(application.url);
    await response.text();
    expect([response.status, response.headers.get("x-powered-by")]).toEqual([404, null]);
  });
});
