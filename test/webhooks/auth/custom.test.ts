import { createHmac, timingSafeEqual } from "node:crypto";
import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { ConfigurationError, custom, memoryStore, WebhookAuthError, Webhooks } from "../../../src/webhooks/index.ts";
import { throws } from "../../support/throws.ts";
import { noWork, reasonOf } from "../support.ts";

const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1"}';
const verify = (webhooks: Webhooks, headers: Record<string, string> = {}) =>
  reasonOf(webhooks.verify({ headers, body }));

describe("custom()", () => {
  it("can return a nonce, which is accepted once", async () => {
    const webhooks = new Webhooks({
      auth: [custom((delivery) => ({ nonce: delivery.header("x-nonce") ?? "" }))],
      store: memoryStore(),
    });
    expect(await verify(webhooks, { "x-nonce": "n-1" })).toBe("accepted");
    expect(await verify(webhooks, { "x-nonce": "n-1" })).toBe("nonceReused");
    expect(await verify(webhooks, { "x-nonce": "n-2" })).toBe("accepted");
    expect(await verify(webhooks)).toBe("refusedByCheck");
  });

  it.each([[{}], [[]], ["yes"], [1], [null], [undefined], [false]])("refuses what returns %j", async (verdict) => {
    expect(await verify(new Webhooks({ auth: [custom(() => verdict as never)] }))).toBe("refusedByCheck");
  });

  it("refuses for the reason of a WebhookAuthError that it throws", async () => {
    const check = custom(throws(new WebhookAuthError({ reason: "addressNotAllowed", message: "not from there" })));
    expect(await verify(new Webhooks({ auth: [check] }))).toBe("addressNotAllowed");
  });

  it("has what the function threw as the cause, and is not misled by null", async () => {
    const refusal = (check: Parameters<typeof custom>[0]) =>
      new Webhooks({ auth: [custom(check)] }).verify({ headers: {}, body }).catch((error: unknown) => error);
    const cause = new Error("database password is hunter2");
    const refused = { reason: "refusedByCheck", message: "A custom check refused the delivery." };
    for (const failing of [throws(cause), () => Promise.reject(cause)]) {
      expect(await refusal(failing)).toMatchObject({ ...refused, cause });
    }
    expect(await refusal(() => null as never)).toMatchObject(refused);
  });

  it("does not say that undefined would accept", async () => {
    const error = await new Webhooks({ auth: [custom(() => ({}) as never)] })
      .verify({ headers: {}, body })
      .catch(String);
    expect(error).toContain('The check "custom" returned an object that is not only { nonce }');
    expect(error).not.toContain("undefined");
  });

  it.each([[undefined], [true], [{}]])("cannot be created from %j", (check) => {
    expect(() => custom(check as never)).toThrow(ConfigurationError);
  });
});

describe("a signature in one header with its timestamp, as the guide checks it", () => {
  const secret = "whsec_of_the_test";
  const now = 1_700_000_000_000;
  const check = custom(({ header, body, now }) => {
    const [, time, signature] = /^t=(\d{10}),v1=([\da-f]{64})$/.exec(header("stripe-signature") ?? "") ?? [];
    if (signature === undefined || Math.abs(now - Number(time) * 1_000) > 300_000) return false;
    const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
    return timingSafeEqual(expected, Buffer.from(signature, "hex"));
  });
  const written = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: now / 1_000 });

  it.each([
    [written, now, "accepted"],
    [written, now + 300_001, "refusedByCheck"],
    [written.replace("t=1700000000", "t=1700000001"), now, "refusedByCheck"],
    [written.replace(/.$/, "x"), now, "refusedByCheck"],
    ["", now, "refusedByCheck"],
  ])("%s at %i: %s", async (header, at, outcome) => {
    const webhooks = new Webhooks({ auth: [check], now: () => at });
    expect(await verify(webhooks, { "stripe-signature": header })).toBe(outcome);
  });

  it("acknowledges a delivery DUPLICATE that is stale, if what it says has taken effect", async () => {
    let isStale = false;
    const stale = new WebhookAuthError({ reason: "timestampOutOfRange", message: "too old" });
    const webhooks = new Webhooks({
      auth: [custom(() => (isStale ? { stale } : true))],
      store: memoryStore(),
      findOrder: "none",
    });
    const handler = webhooks.handler(noWork);
    const send = async (reference: string) => {
      const event = JSON.stringify({ status: "REJECTED", client_referenceId: reference });
      return JSON.parse((await handler.receive({ headers: {}, body: event })).body).status;
    };
    expect(await send("po-1")).toBe("SUCCESS");
    isStale = true;
    expect([await send("po-1"), await send("po-2")]).toEqual(["DUPLICATE", "FAILED"]);
  });
});
