import fc from "fast-check";
import { describe, expect } from "vitest";
import { lambdaHandler } from "../../src/webhooks/adapters/lambda.ts";
import { ipAllowList } from "../../src/webhooks/auth/ip-allow-list.ts";
import {
  basic,
  checkAcknowledgement,
  freshness,
  hmac,
  memoryStore,
  sign,
  standardWebhooks,
  type WebhookCheck,
  Webhooks,
} from "../../src/webhooks/index.ts";
import { codePoint } from "../support/code-point.ts";
import { eventOf } from "../webhooks/support.ts";
import { anyJson, anyText, anything, drifted, refusalOf, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const now = 1_700_000_000_000;
const secrets = ["webhook-secret-of-the-test"];
const schemes: Readonly<Record<string, readonly WebhookCheck[]>> = {
  hmac: [hmac({ header: "x-signature", secrets })],
  "hmac over time and nonce": [
    hmac({
      header: "x-signature",
      signed: "timestamp.nonce.body",
      timestampHeader: "x-t",
      nonceHeader: "x-n",
      secrets,
    }),
  ],
  standardWebhooks: [standardWebhooks({ secrets: [`whsec_${btoa("webhook-secret-of-the-test")}`] })],
  basic: [basic({ credentials: [{ username: "payouts", password: "webhook-secret-of-the-test" }] })],
  freshness: [freshness({ timestampHeader: "x-t" }), ipAllowList(["203.0.113.0/24"])],
};
const event = eventOf("SUCCESS");
const anyHeader = fc.oneof(
  fc.constantFrom("", "0", "v1,", "Basic ", "t=1,v1=", "1700000000", "00".repeat(32), "=", ",,,"),
  fc.string({ unit: codePoint }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "")),
);
const handlers = { SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} };

describe("a delivery", () => {
  const changes = fc.record({
    scheme: fc.constantFrom("hmac", "hmac over time and nonce", "standardWebhooks"),
    at: fc.nat(),
    byte: fc.integer({ min: 1, max: 255 }),
    what: fc.constantFrom("body", "header"),
  });
  property("is accepted as it was signed, and with no byte changed", changes, async ({ scheme, at, byte, what }) => {
    const checks = schemes[scheme] ?? [];
    const webhooks = new Webhooks({ auth: checks, store: memoryStore(), now: () => now });
    const { headers, body } = await sign(event, checks, { now });
    expect(await webhooks.verify({ headers, body })).toMatchObject(event);

    const bytes = new TextEncoder().encode(body);
    const names = Object.keys(headers).filter((name) => name !== "content-type");
    const name = names[at % names.length] ?? "";
    const value = Array.from(headers[name] ?? "");
    if (what === "body") bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ byte;
    else
      value[at % value.length] = String.fromCharCode(
        33 + (((value[at % value.length]?.charCodeAt(0) ?? 0) + byte) % 94),
      );
    const changed = { ...headers, [name]: value.join("") };
    if (what === "header" && sameSignature(changed[name], headers[name])) return;
    const refused = await refusalOf(() =>
      new Webhooks({ auth: checks, now: () => now }).verify({ headers: changed, body: bytes }),
    );
    expect(refused?.kind).toBe("webhook_auth");
  });

  const forged = fc.record({
    scheme: fc.constantFrom(...Object.keys(schemes)),
    headers: fc.dictionary(
      fc.constantFrom(
        "x-signature",
        "x-t",
        "x-n",
        "authorization",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "x-forwarded-for",
        "content-length",
        "content-encoding",
      ),
      anyHeader,
    ),
    body: fc.oneof(
      fc.uint8Array(),
      anyText,
      anyJson.map((value) => JSON.stringify(value)),
      fc.constant(JSON.stringify(event)),
    ),
    remoteAddress: fc.oneof(anyText, fc.ipV4(), fc.ipV6()),
  });
  property("that nobody signed is refused, whatever its bytes and headers", forged, async ({ scheme, ...delivery }) => {
    let ran = 0;
    const run = () => void ran++;
    const webhooks = new Webhooks({
      auth: schemes[scheme] ?? [],
      store: memoryStore(),
      findOrder: "none",
      now: () => now,
    });
    const all = { SUCCESS: run, FAILED: run, REJECTED: run };
    const { status, body } = await webhooks
      .handler(all)
      .receive({ ...delivery, remoteAddress: `${delivery.remoteAddress}x` });
    expect([status, JSON.parse(body).status, ran]).toEqual([200, "FAILED", 0]);
    await lambdaHandler(webhooks.handler(all))({ ...delivery, body: String(delivery.body), isBase64Encoded: true });
    const sent = typeof delivery.body === "string" ? delivery.body : new Uint8Array(delivery.body);
    const init = { method: "POST", headers: delivery.headers, body: sent };
    const response = await webhooks.handler(all)(new Request("https://receiver.example/payouts", init));
    expect([response.status, (await response.json()).status, ran]).toEqual([200, "FAILED", 0]);
  });

  const anyEvent = fc.oneof(fc.constant(event), drifted(event), anything);
  const unsigned = fc.oneof(
    anyEvent,
    anyEvent.map((value) => JSON.stringify(value)),
    anyEvent.map((value) => new TextEncoder().encode(JSON.stringify(value))),
    anyText,
    fc.uint8Array(),
  );
  property("without authentication is an event or a typed refusal", unsigned, async (body) => {
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    await refusesTyped(() => webhooks.parse(body as never));
    await refusesTyped(() => webhooks.process(body as never, handlers));
    await refusesTyped(() => webhooks.verify({ headers: {}, body } as never));
    const [sent] = typeof body === "string" || body instanceof Uint8Array ? [new Uint8Array(Buffer.from(body))] : [];
    const request = new Request("https://receiver.example/payouts", { method: "POST", ...(sent && { body: sent }) });
    const acknowledged = await (await webhooks.handler(handlers)(request)).json();
    expect(["SUCCESS", "DUPLICATE", "FAILED"]).toContain(acknowledged.status);
    await refusesTyped(() => sign(body as never, "none"));
  });

  const references = fc.oneof(drifted(event), fc.constant("order-1"), anything);
  property("has a reference that is found and forgotten, or refused", references, async (reference) => {
    const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
    await refusesTyped(() => webhooks.find(reference as never));
    await refusesTyped(() => webhooks.forget(reference as never));
    await refusesTyped(() => webhooks.acknowledge(reference as never, "SUCCESS"));
  });
});

/** Base64 has several spellings of the same bytes, and spaces around a value do not count. */
function sameSignature(a = "", b = ""): boolean {
  const bytes = (text: string) => Buffer.from(text.replace(/^v1,/, ""), "base64").toString("hex");
  return a.trim().toLowerCase() === b.toLowerCase() || bytes(a) === bytes(b);
}

describe("an acknowledgement", () => {
  const response = fc.record({
    status: fc.integer(),
    body: fc.oneof(
      anyText,
      anyJson.map((value) => JSON.stringify(value)),
    ),
  });
  property("of any server is judged", fc.tuple(response, anyText), async ([given, reference]) => {
    await refusesTyped(() => expect(checkAcknowledgement(given, reference)).toHaveProperty("problems"));
  });
});

describe("ranges of IP addresses", () => {
  property(
    "are read, or refused",
    fc.array(
      fc.oneof(
        anyText,
        fc.ipV4Extended(),
        fc.ipV6(),
        fc
          .tuple(fc.ipV4(), fc.oneof(fc.integer(), fc.integer({ min: 8, max: 32 })))
          .map(([ip, bits]) => `${ip}/${bits}`),
      ),
    ),
    async (ranges) => {
      await refusesTyped(() => ipAllowList(ranges));
    },
  );
});

describe("the memory store", () => {
  const step = fc.record({
    what: fc.constantFrom("claim", "complete", "release", "conflict", "find", "forget"),
    key: fc.constantFrom("a", "b", "__proto__"),
    status: fc.constantFrom("SUCCESS", "FAILED"),
  });
  property(
    "grants a reference to one delivery at a time, and not again once it is done",
    fc.array(step, { maxLength: 30 }),
    async (steps) => {
      const store = memoryStore();
      const held = new Map<string, { readonly claim: Parameters<typeof store.complete>[0]; readonly status: string }>();
      const done = new Map<string, string>();
      for (const { what, key, status } of steps) {
        const mine = held.get(key);
        if (what === "claim") {
          const result = await store.claim(key, { effect: status, lease: 60_000 });
          const expected = done.has(key) ? "done" : mine !== undefined ? "inFlight" : "claimed";
          expect(result.kind).toBe(expected);
          if (result.kind === "claimed") held.set(key, { claim: result.claim, status });
        } else if (what === "complete" && mine !== undefined) {
          expect(await store.complete(mine.claim)).toBe(true);
          done.set(key, mine.status);
          held.delete(key);
        } else if (what === "release" && mine !== undefined) {
          await store.release(mine.claim);
          held.delete(key);
        } else if (what === "conflict") await store.recordConflict(key, status);
        else if (what === "find") expect((await store.find(key)) !== undefined || !done.has(key)).toBe(true);
        else if (what === "forget") {
          await store.forget(key);
          held.delete(key);
          done.delete(key);
        }
      }
    },
  );
});
