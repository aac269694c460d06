import { describe, expect, it } from "vitest";
import { ConfigurationError, custom, memoryStore, WebhookAuthError, Webhooks } from "../../../src/webhooks/index.ts";

const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1"}';
const verify = (webhooks: Webhooks, headers: Record<string, string> = {}) =>
  webhooks.verify({ headers, body }).then(
    () => "accepted",
    (error: WebhookAuthError) => error.reason,
  );

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
    const check = custom(() => {
      throw new WebhookAuthError({ reason: "addressNotAllowed", message: "not from there" });
    });
    expect(await verify(new Webhooks({ auth: [check] }))).toBe("addressNotAllowed");
  });

  it("has what the function threw as the cause, and is not misled by null", async () => {
    const refusal = (check: Parameters<typeof custom>[0]) =>
      new Webhooks({ auth: [custom(check)] }).verify({ headers: {}, body }).catch((error: unknown) => error);
    const cause = new Error("no such tenant");
    expect(await refusal(() => Promise.reject(cause))).toMatchObject({ cause });
    expect(await refusal(() => null as never)).toMatchObject({ message: "A custom check refused the delivery." });
  });

  it("does not say that undefined would accept", async () => {
    const error = await new Webhooks({ auth: [custom(() => ({}) as never)] })
      .verify({ headers: {}, body })
      .catch(String);
    expect(error).toContain('The check "custom" returned an object without { nonce }');
    expect(error).not.toContain("undefined");
  });

  it.each([[undefined], [true], [{}]])("cannot be created from %j", (check) => {
    expect(() => custom(check as never)).toThrow(ConfigurationError);
  });
});
