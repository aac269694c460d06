import { describe, expect, it } from "vitest";
import { basic, custom, freshness, hmac, standardWebhooks, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { receiver } from "../support.ts";

const secrets = ["k"];
const hex = hmac({ header: "x-s", secrets });
const standard = standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] });
const credentials = basic({ credentials: [{ username: "u", password: "p" }] });
const fresh = freshness({ timestampHeader: "x-t", nonceHeader: "x-n" });
const valid = {
  "x-s": "00",
  "x-t": "1700000000",
  "x-n": "n",
  "webhook-signature": "v1,AA",
  "webhook-timestamp": "1700000000",
};

describe("a header that is longer than any valid one is refused unread", () => {
  it.each<[string, WebhookCheck, string, number, string, RegExp]>([
    ["hmac in hex", hex, "x-s", 4_096, "signatureMismatch", /longer than 4096 characters/],
    ["standardWebhooks", standard, "webhook-signature", 4_096, "signatureMismatch", /longer than 4096 characters/],
    ["standardWebhooks", standard, "webhook-timestamp", 40, "timestampInvalid", /is not a number of seconds/],
    [
      "standardWebhooks",
      standard,
      "webhook-id",
      256,
      "signatureMismatch",
      /"webhook-id" is longer than 256 characters/,
    ],
    ["basic", credentials, "authorization", 4_096, "credentialsMismatch", /is not valid Basic/],
    ["freshness", fresh, "x-t", 40, "timestampInvalid", /is not a number of seconds/],
    ["freshness", fresh, "x-n", 256, "nonceMissing", /longer than 256 characters/],
  ])("%s: more characters than any valid one (%#)", async (_name, check, header, max, reason, message) => {
    // Any number of spaces is allowed: it is the length alone that refuses these credentials.
    const text = header === "authorization" ? `Basic ${btoa("u:p").padStart(max - 5)}` : "1".repeat(max + 1);
    expect(text).toHaveLength(max + 1);
    const { handler, told } = receiver({}, { auth: [check, custom(() => false)], now: () => 1_700_000_000_000 });
    await handler.receive({ headers: { ...valid, [header]: text }, body: "{}" });
    expect(told).toMatchObject([{ error: { reason, message: expect.stringMatching(message) } }]);
  });
});
