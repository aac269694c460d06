import { describe, expect, it } from "vitest";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import { basic, custom, freshness, hmac, standardWebhooks, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { expectLinear } from "../../support/growth.ts";
import { receiver } from "../support.ts";

const secrets = ["k"];
const signed = "timestamp.nonce.body";
/** Every check that reads headers, with the headers that an unauthenticated sender can make long. */
const checks: readonly (readonly [string, WebhookCheck, readonly string[]])[] = [
  ["hmac in hex", hmac({ header: "x-s", secrets }), ["x-s"]],
  ["hmac in base64", hmac({ header: "x-s", encoding: "base64", secrets }), ["x-s"]],
  [
    "hmac with every header",
    hmac({
      header: "x-s",
      prefix: "v1,",
      signed,
      timestampHeader: "x-t",
      nonceHeader: "x-n",
      idHeader: "x-i",
      secrets,
    }),
    ["x-s", "x-t", "x-n", "x-i"],
  ],
  [
    "hmac in one header",
    hmac({ header: "x-s", fields: { signature: "v1", timestamp: "t", nonce: "n" }, signed, secrets }),
    ["x-s"],
  ],
  [
    "standardWebhooks",
    standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }),
    ["webhook-signature", "webhook-timestamp", "webhook-id"],
  ],
  ["basic", basic({ credentials: [{ username: "u", password: "p" }] }), ["authorization"]],
  ["freshness", freshness({ timestampHeader: "x-t", nonceHeader: "x-n" }), ["x-t", "x-n"]],
  ["ipAllowList", ipAllowList(["203.0.113.0/24"]), ["x-forwarded-for"]],
  ["no check that reads them", custom(() => false), ["content-type", "content-length", "content-encoding"]],
];
/** Strings of a given length that make backtracking patterns slow. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  padding: (length) => fill("", "=", "b=", length),
  "a prefix and padding": (length) => fill("v1,", "=", "b=", length),
  "fields and padding": (length) => fill("t=1700000000,n=n,v1=", "=", "b=", length),
  spaces: (length) => fill("basic ", " ", "x", length),
  commas: (length) => fill("", ",", "x", length),
  digits: (length) => fill("", "1", "x", length),
  fields: (length) => fill("", "t=1,v1=a,", "x", length),
  base64: (length) => fill("Basic ", "A", "!", length),
  proxies: (length) => fill("", "10.0.0.1, ", "", length),
};
const cases = checks.flatMap(([name, check, headers]) =>
  headers.flatMap((header) => Object.keys(shapes).map((shape) => ({ name, check, header, shape }))),
);
const valid = {
  "x-s": "00",
  "x-t": "1700000000",
  "x-n": "n",
  "webhook-signature": "v1,AA",
  "webhook-timestamp": "1700000000",
};

function fill(start: string, middle: string, end: string, length: number): string {
  const room = length - start.length - end.length;
  return start + middle.repeat(Math.ceil(room / middle.length)).slice(0, room) + end;
}

function receive(check: WebhookCheck, headers: Readonly<Record<string, string>>) {
  const { handler, told } = receiver(
    {},
    { auth: [check, custom(() => false)], trustedProxies: ["10.0.0.0/8"], now: () => 1_700_000_000_000 },
  );
  return {
    told,
    send: () => handler.receive({ headers: { ...valid, ...headers }, body: "{}", remoteAddress: "10.0.0.1" }),
  };
}

describe("a header of any length costs linear time", () => {
  // The lengths of the first are within the bound of every header that has one; the others are for those without.
  it.each(cases)("$name: $header of $shape", async ({ check, header, shape }) => {
    for (const length of [256, 4_096]) {
      await expectLinear((size) => {
        const { send } = receive(check, { [header]: shapes[shape]?.(size) ?? "" });
        return async () => expect(JSON.parse((await send()).body).status).toBe("FAILED");
      }, length);
    }
  });
});

describe("a header that is longer than any valid one is refused unread", () => {
  it.each([
    ["hmac in hex", "x-s", 4_096, "signatureMismatch", /longer than 4096 characters/],
    ["hmac in one header", "x-s", 4_096, "signatureMismatch", /longer than 4096 characters/],
    ["standardWebhooks", "webhook-signature", 4_096, "signatureMismatch", /longer than 4096 characters/],
    ["standardWebhooks", "webhook-timestamp", 40, "timestampInvalid", /is not a number of seconds/],
    ["standardWebhooks", "webhook-id", 256, "signatureMismatch", /longer than 256 characters/],
    ["basic", "authorization", 4_096, "credentialsMismatch", /is not valid Basic/],
    ["freshness", "x-t", 40, "timestampInvalid", /is not a number of seconds/],
    ["freshness", "x-n", 256, "nonceMissing", /longer than 256 characters/],
  ])("%s: %s of more than %i characters", async (name, header, max, reason, message) => {
    const [, check] = checks.find(([known]) => known === name) ?? [];
    if (check === undefined) throw new Error(`No check is called ${name}.`);
    // Any number of spaces is allowed: it is the length alone that refuses these credentials.
    const text = header === "authorization" ? fill("Basic ", " ", btoa("u:p"), max + 1) : "1".repeat(max + 1);
    expect(text).toHaveLength(max + 1);
    const { send, told } = receive(check, { [header]: text });
    await send();
    expect(told).toMatchObject([{ error: { reason, message: expect.stringMatching(message) } }]);
  });
});
