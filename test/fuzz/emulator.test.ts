import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { createEmulator, refusal, signedDelivery } from "../../src/emulator/emulator.ts";
import { emulatorHandlers } from "../../src/emulator/msw.ts";
import { anyJson, anyText, anything, drifted, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const emulator = createEmulator({ pace: 0, strict: false });
const operations = [
  "verification/upimobile_multiple",
  "api/serviceapi-prod/api/ai/create-response",
  "flight/fare_quote",
  "flight/fare_rule",
  "flight/book",
];
const routes = ["searches", "payouts", "fire", "rules", "withdraw", "clock", "reset", "deliveries"];
const path = fc.oneof(
  fc.constantFrom(...operations.map((name) => `/${name}`), ...routes.map((name) => `/__emulator/${name}`)),
  anyText.map((text) => `/${encodeURI(text.toWellFormed())}`),
);
const request = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "OPTIONS"),
  path,
  body: fc.oneof(
    anyText,
    anyJson.map((value) => JSON.stringify(value)),
    fc.uint8Array(),
  ),
  headers: fc.dictionary(
    fc.constantFrom("client-id", "client-secret", "content-type", "origin", "x-emulator-response", "accept"),
    fc.string().map((text) => text.replaceAll(/[^\x20-\x7e]/g, "").trim()),
  ),
});

describe("the emulator over HTTP", () => {
  let server: Awaited<ReturnType<typeof emulator.listen>>;
  beforeAll(async () => {
    server = await emulator.listen();
  });
  afterAll(() => server.close());

  property("responds to anything, and never because it broke", request, async ({ method, path, body, headers }) => {
    const hasBody = method !== "GET";
    const response = await fetch(server.url + path, {
      method,
      headers,
      ...(hasBody && { body: typeof body === "string" ? body : new Uint8Array(body) }),
    });
    expect(response.status).not.toBe(500);
    await response.text();
    expect((await fetch(new URL("/__emulator/searches", server.url))).status).toBe(200);
  });
});

describe("the emulator's own options", () => {
  const options = fc.oneof(
    ...[
      { message: "Try again.", httpStatus: 503, retryAfter: 1_000, fields: { errors: [] } },
      { auth: "none", amount: 8_500, outcome: "SUCCESS", client_referenceId: "order-1" },
      { baseUrl: "https://emulator.example" },
    ].flatMap((sample) => [fc.constant(sample), drifted(sample)]),
    anything,
  );
  const reason = fc.oneof(fc.constantFrom("rate_limited", 404), anything);
  property("are taken or refused", fc.tuple(fc.oneof(reason, options), options), async ([a, b]) => {
    await refusesTyped(() => refusal(a as never, b as never));
    await refusesTyped(() => createEmulator(b as never));
    await refusesTyped(() => signedDelivery(b as never));
    await refusesTyped(() => emulatorHandlers(emulator, b as never));
  });
});
