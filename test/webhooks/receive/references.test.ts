import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { hmac, memoryStore, WebhookError, Webhooks } from "../../../src/webhooks/index.ts";
import { payoutKey, referenceIn } from "../../../src/webhooks/stores/record.ts";
import { eventOf, oddReferences, receiver } from "../support.ts";

describe("a reference is opaque, up to 1,024 characters", () => {
  it.each(oddReferences)("%j takes effect once, and SUCCESS echoes it", async (client_referenceId) => {
    const { send, ran } = receiver();
    const { ack } = await send(eventOf("SUCCESS", { client_referenceId }));
    expect([ack.status, ack.client_referenceId]).toEqual(["SUCCESS", client_referenceId]);
    expect((await send(eventOf("SUCCESS", { client_referenceId }))).ack.status).toBe("DUPLICATE");
    expect(ran).toHaveLength(1);
  });

  it("is found and forgotten under the same name", async () => {
    const store = memoryStore();
    const webhooks = new Webhooks({ store });
    for (const client_referenceId of oddReferences) {
      await receiver({}, { store }).send(eventOf("SUCCESS", { client_referenceId }));
      expect(await webhooks.find(client_referenceId)).toMatchObject({ state: "done" });
      await webhooks.forget(client_referenceId);
      expect(await webhooks.find(client_referenceId)).toBeUndefined();
    }
  });

  it("has its own key in every store: short, printable, and never that of another", async () => {
    const references = [
      ...oddReferences,
      "po-1",
      "PO-1",
      "po.1",
      "#sha256:",
      "sha256:x",
      "x".repeat(128),
      "x".repeat(129),
    ];
    const keys = await Promise.all(references.map(payoutKey));
    expect(new Set(keys).size).toBe(references.length);
    for (const key of keys) {
      expect(key).toMatch(/^payout[:#][^\p{Cc}\p{Cs}]+$/u);
      expect(new TextEncoder().encode(key).length).toBeLessThanOrEqual(7 + 4 * 128);
    }
    expect(await payoutKey("po-1")).toBe("payout:po-1");
    expect(await payoutKey("x".repeat(128))).toBe(`payout:${"x".repeat(128)}`);
    const digest = createHash("sha256").update("line\nbreak").digest("hex");
    expect(await payoutKey("line\nbreak")).toBe(`payout#sha256:${digest}`);
    expect(["payout:po-1", `payout#sha256:${digest}`].map(referenceIn)).toEqual(["po-1", undefined]);
  });
});

describe("the body of a stranger", () => {
  const refusals: unknown[] = [];
  const handler = new Webhooks({
    auth: [hmac({ header: "x-s", secrets: ["s3cret"] })],
    findOrder: "none",
    store: memoryStore(),
  }).handler({
    SUCCESS() {},
    FAILED() {},
    REJECTED() {},
    onFailure: (error) => refusals.push(WebhookError.isInstance(error) && error.clientReferenceId),
  });
  const parsesOf = async (body: string) => {
    refusals.length = 0;
    const parse = vi.spyOn(JSON, "parse");
    const { body: response } = await handler.receive({ headers: { "x-s": "00" }, body });
    const parses = parse.mock.calls.filter(([text]) => text === body).length;
    parse.mockRestore();
    return { parses, echoed: JSON.parse(response).client_referenceId, told: refusals[0] };
  };

  it("is parsed once for its reference, for the hook and the response", async () => {
    const body = JSON.stringify(eventOf("SUCCESS"));
    expect(await parsesOf(body)).toEqual({ parses: 1, echoed: "demo-po-1", told: "demo-po-1" });
    expect(await parsesOf("[".repeat(8_192))).toEqual({ parses: 1, echoed: "", told: undefined });
  });

  it.each([
    ["brackets", "[".repeat(65_536)],
    ["objects in objects", '{"client_referenceId":'.repeat(2_900)],
    ["keys", JSON.stringify(Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`k${i}`, 1])))],
  ])("is not parsed at all before it is authenticated if it is long: %s", async (_, body) => {
    expect(await parsesOf(body)).toEqual({ parses: 0, echoed: "", told: undefined });
  });
});
