import { describe, expect, it } from "vitest";
import type { FreshnessOptions } from "../../../src/webhooks/auth/freshness.ts";
import { basic, ConfigurationError, freshness, memoryStore, sign, Webhooks } from "../../../src/webhooks/index.ts";
import { refusalOf } from "../../support/refusal.ts";
import { reasonOf } from "../support.ts";

const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1"}';
const now = 1_700_000_000_000;
const sender = basic({ credentials: [{ username: "payouts", password: "a b" }] });

describe("freshness() next to a check that proves the sender", () => {
  const receiver = (options: Partial<FreshnessOptions> = {}, clock = now) => {
    const auth = [sender, freshness({ timestampHeader: "x-sent-at", ...options })];
    return { auth, webhooks: new Webhooks({ auth, store: memoryStore(), now: () => clock }) };
  };
  const outcomeOf = async (options: Partial<FreshnessOptions>, changes: Record<string, string>, clock = now) => {
    const { auth, webhooks } = receiver(options, clock);
    const { headers } = await sign(body, auth, { now, id: "n-1" });
    return reasonOf(webhooks.verify({ headers: { ...headers, ...changes }, body }));
  };

  it.each<[Partial<FreshnessOptions>, Record<string, string>, number, string]>([
    [{}, {}, now + 300_000, "accepted"],
    [{}, {}, now + 300_001, "timestampOutOfRange"],
    [{}, { "x-sent-at": "" }, now, "timestampMissing"],
    [{}, { "x-sent-at": "now" }, now, "timestampInvalid"],
    [{ tolerance: 1_000 }, {}, now + 1_001, "timestampOutOfRange"],
    [{ timestampFormat: "YYYY-MM-DD HH:mm:ss" }, { "x-sent-at": "2023-11-15 03:43:20" }, now, "accepted"],
    [{ timestampFormat: "iso" }, {}, now, "accepted"],
    [{}, { authorization: "Basic eDp5" }, now, "credentialsMismatch"],
    [{ nonceHeader: "x-nonce" }, {}, now, "accepted"],
    [{ nonceHeader: "x-nonce" }, { "x-nonce": "" }, now, "nonceMissing"],
    [{ nonceHeader: "x-nonce" }, { "x-nonce": "a\u00adb" }, now, "nonceMissing"],
  ])("%j with %j at %i: %s", async (options, changes, clock, reason) => {
    expect(await outcomeOf(options, changes, clock)).toBe(reason);
  });

  it("compares a delivery that waited in a queue with the time at which it was received", async () => {
    const { auth, webhooks } = receiver({}, now + 86_400_000);
    const { headers } = await sign(body, auth, { now });
    const receivedAfter = (wait?: number) =>
      reasonOf(webhooks.verify({ headers, body, ...(wait !== undefined && { receivedAt: now + wait }) }));
    expect(await receivedAfter()).toBe("timestampOutOfRange");
    expect(await receivedAfter(300_001)).toBe("timestampOutOfRange");
    expect(await receivedAfter(300_000)).toBe("accepted");
    for (const receivedAt of [Number.NaN, String(now), new Date(now)] as number[]) {
      await expect(webhooks.verify({ headers, body, receivedAt })).rejects.toThrow(ConfigurationError);
    }
  });

  it("accepts a nonce once", async () => {
    const { auth, webhooks } = receiver({ nonceHeader: "x-nonce" });
    const { headers } = await sign(body, auth, { now });
    await expect(webhooks.verify({ headers, body })).resolves.toBeDefined();
    await expect(webhooks.verify({ headers, body })).rejects.toMatchObject({ reason: "nonceReused" });
  });

  it("makes the headers that it reads, and no other", async () => {
    const { headers } = await sign(body, freshness({ timestampHeader: "x-sent-at" }), { now });
    expect(headers).toEqual({ "content-type": "application/json", "x-sent-at": "1700000000" });
  });

  it.each([
    [{}],
    [{ timestampHeader: "" }],
    [{ timestampHeader: "x-t", tolerance: Number.NaN }],
    [{ timestampHeader: "x-t", tolerence: 1 }],
    [{ timestampHeader: "x-t", timestampFormat: "seconds" }],
    [undefined],
  ])("cannot be created from %j", (options) => {
    expect(refusalOf(() => freshness(options as never))).toMatch(/^freshness: /);
  });
});
