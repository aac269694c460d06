import { describe, expect, it } from "vitest";
import { basic, custom, freshness, hmac, standardWebhooks, type WebhookCheck } from "../../../src/webhooks/index.ts";
import { ipAllowList } from "../../../src/webhooks/ip.ts";
import { receiver } from "../support.ts";

const secrets = ["k"];
const signed = "timestamp.nonce.body";
/** Every check that reads headers, with what an unauthenticated sender can make long for it. */
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
/** Texts that patterns which go back and forth stumble over. */
const shapes: Readonly<Record<string, (length: number) => string>> = {
  padding: (n) => `${"=".repeat(n)}b=`,
  spaces: (n) => `basic ${" ".repeat(n)}x`,
  commas: (n) => `${",".repeat(n)}x`,
  digits: (n) => `${"1".repeat(n)}x`,
  fields: (n) => `${"t=1,v1=a,".repeat(n / 9)}x`,
  base64: (n) => `Basic ${"A".repeat(n)}!`,
  proxies: (n) => "10.0.0.1, ".repeat(n / 10),
};
const base = 4_096;
const cases = checks.flatMap(([name, check, headers]) =>
  headers.flatMap((header) => Object.keys(shapes).map((shape) => ({ name, check, header, shape }))),
);

describe("a header of any length costs linear time", () => {
  it.each(cases)("$name: $header of $shape", async ({ check, header, shape }) => {
    const { handler, told } = receiver(
      {},
      { auth: [check, custom(() => false)], trustedProxies: ["10.0.0.0/8"], now: () => 1_700_000_000_000 },
    );
    const valid = { "x-s": "00", "x-t": "1700000000", "x-n": "n", "webhook-signature": "v1,AA" };
    const timeOf = async (factor: number): Promise<number> => {
      const text = shapes[shape]?.(base * factor) ?? "";
      const headers = { ...valid, "webhook-timestamp": "1700000000", [header]: text };
      let best = Number.POSITIVE_INFINITY;
      for (let run = 0; run < 5; run += 1) {
        const startedAt = performance.now();
        const { body } = await handler.receive({ headers, body: "{}", remoteAddress: "10.0.0.1" });
        best = Math.min(best, performance.now() - startedAt);
        expect(JSON.parse(body).status).toBe("FAILED");
      }
      return best;
    };
    await timeOf(1);
    const [once, fourfold, sixteenfold] = [await timeOf(1), await timeOf(4), await timeOf(16)];
    // Quadratic growth would be 16 and 256 times; below 2 ms the clock and the machine decide.
    expect(fourfold).toBeLessThan(Math.max(2, once * 10));
    expect(sixteenfold).toBeLessThan(Math.max(4, once * 60));
    expect(told.length).toBeGreaterThan(0);
  });
});
