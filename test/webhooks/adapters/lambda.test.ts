import { describe, expect, it, vi } from "vitest";
import { type LambdaEventLike, lambdaHandler } from "../../../src/webhooks/adapters/lambda.ts";
import { fastifyWebhook, koaHandler, nodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import { hmac, sign, type WebhookHandler } from "../../../src/webhooks/index.ts";
import { pollute } from "../../support/pollute.ts";
import { eventOf, receiver } from "../support.ts";

const encode = (text: string) => Buffer.from(text).toString("base64");
describe("a base64 body of Lambda", () => {
  const send = async (body: string, { handler, told } = receiver({}, { maxBodyBytes: 200_000 })) => {
    const { statusCode, body: text } = await lambdaHandler(handler)({ body, isBase64Encoded: true });
    return { statusCode, status: JSON.parse(text).status, told };
  };

  it("is decoded, whatever its length", async () => {
    for (const length of [0, 1, 2, 3, 49_151, 49_152, 49_153, 150_000]) {
      const event = eventOf("SUCCESS", { description: "ü".repeat(length / 2) + "x".repeat(length % 2) });
      expect(await send(encode(JSON.stringify(event)))).toMatchObject({ statusCode: 200, status: "SUCCESS" });
    }
  });

  it.each(["!!!!", "A", `${encode("x".repeat(49_151))}=QUJD`, `${encode("x".repeat(49_150))}QUJD`, "eyJhIjoxfQ==QUJD"])(
    "that is malformed is refused with a response",
    async (body) => {
      const { statusCode, status, told } = await send(body);
      expect([statusCode, status]).toEqual([200, "FAILED"]);
      expect(told).toMatchObject([{ hook: "refused", error: { reason: "badEncoding" } }]);
    },
  );

  it("is decoded no further than `maxBodyBytes`", async () => {
    const decoded = vi.spyOn(globalThis, "atob");
    const { told } = await send(encode("x".repeat(5_000_000)));
    expect(told).toMatchObject([{ error: { reason: "tooLarge" } }]);
    const characters = decoded.mock.calls.reduce((sum, [piece]) => sum + piece.length, 0);
    expect(characters).toBeLessThan(400_000);
  });
});

it("reads all values of a header: beside `multiValueHeaders`, `headers` of API Gateway v1 has the last one alone", async () => {
  const stamped = hmac({ header: "x-signature", secrets: ["k"], signed: "timestamp.body", timestampHeader: "x-time" });
  const { headers, body } = await sign(eventOf("SUCCESS"), stamped);
  const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
  const { handler, told } = receiver({}, { auth: [stamped] });
  const statusOf = async (event: LambdaEventLike) => JSON.parse((await lambdaHandler(handler)(event)).body).status;
  const twice = { ...multiValueHeaders, "x-time": ["1", ...(multiValueHeaders["x-time"] ?? [])] };
  expect(await statusOf({ headers, multiValueHeaders: twice, body })).toBe("FAILED");
  expect(told).toMatchObject([{ hook: "refused", error: { reason: "timestampInvalid" } }]);
  expect(await statusOf({ headers, multiValueHeaders, body })).toBe("SUCCESS");
});

it.each([{}, { "x-signature": [] }, { "x-signature": undefined }, { "x-other": ["1"] }])(
  "reads `headers` for what `multiValueHeaders` has no value of: %j",
  async (multiValueHeaders) => {
    const check = hmac({ header: "x-signature", secrets: ["s3cret"] });
    const { headers, body } = await sign(eventOf("SUCCESS"), check);
    const { handler } = receiver({}, { auth: [check] });
    const response = await lambdaHandler(handler)({ headers, multiValueHeaders, body });
    expect(JSON.parse(response.body).status).toBe("SUCCESS");
  },
);

it("reads no sender off a polluted Object.prototype", async () => {
  const { handler, told } = receiver({}, { auth: [ipAllowList(["203.0.113.0/24"])] });
  pollute({ http: { sourceIp: "203.0.113.7" } });
  await lambdaHandler(handler)({ body: "{}", requestContext: { elb: {} } });
  expect(told).toMatchObject([{ error: { reason: "addressUnknown" } }]);
});

it.each([undefined, null, "ping", {}])("refuses an invocation that is not a request: %s", async (event) => {
  const { handler, told } = receiver();
  const { statusCode, body } = await Reflect.apply(lambdaHandler(handler), undefined, [event]);
  expect([statusCode, JSON.parse(body).status]).toEqual([200, "FAILED"]);
  expect(told).toMatchObject([{ hook: "refused", error: { reason: "empty" } }]);
});

it.each([lambdaHandler, nodeHandler, koaHandler, (handler: WebhookHandler) => fastifyWebhook(handler, "/hook")])(
  "names every required handler when it is passed something else: %s",
  (adapter) => {
    expect(() => adapter({ SUCCESS() {} } as never)).toThrow("webhooks.handler({ SUCCESS, FAILED, REJECTED })");
  },
);
