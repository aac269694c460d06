import { describe, expect, it } from "vitest";
import { ipAllowList } from "../../../src/webhooks/auth/ip-allow-list.ts";
import { type WebhookAuthError, Webhooks } from "../../../src/webhooks/index.ts";
import { reasonOf } from "../support.ts";

const body = '{"status":"DUPLICATE","client_referenceId":"demo-po-1"}';
const ranges = ["203.0.113.0/24", "198.51.100.7", "2001:db8::/32"];

function outcomeOf(remoteAddress: string | undefined, forwarded?: string, options?: { trustedProxies: string[] }) {
  const webhooks = new Webhooks({ auth: [ipAllowList(ranges, options)] });
  const headers = forwarded === undefined ? {} : { "X-Forwarded-For": forwarded };
  return reasonOf(webhooks.verify({ headers, body, remoteAddress }));
}

describe("the peer's address alone is trusted", () => {
  it.each([
    ["203.0.113.200", "accepted"],
    ["198.51.100.7", "accepted"],
    ["198.51.100.8", "addressNotAllowed"],
    ["::ffff:203.0.113.9", "accepted"],
    ["::ffff:cb00:7109", "accepted"],
    ["2001:db8:ffff::1", "accepted"],
    ["2001:db9::1", "addressNotAllowed"],
    ["0313.0.0161.1", "addressUnknown"],
    ["3405803777", "addressUnknown"],
    ["203.0.113", "addressUnknown"],
    ["not an address", "addressUnknown"],
    ["203.0.113.07", "addressUnknown"],
    ["::203.0.113.9", "addressUnknown"],
    ["::ffff:203.0.113.09", "addressUnknown"],
    ["64:ff9b::203.0.113.9", "addressUnknown"],
    ["0:0:0:0:0:ffff:203.0.113.9", "accepted"],
    ["[2001:db8::1]", "addressUnknown"],
    ["2001:db8::1%eth0", "addressUnknown"],
    [" 203.0.113.5 ", "accepted"],
    ["0000:0000:0000:0000:0000:ffff:203.000.113.005", "addressUnknown"],
    ["0000:0000:0000:0000:0000:ffff:203.100.113.200", "addressNotAllowed"],
    ["x::ffff:203.0.113.9", "addressUnknown"],
    ["::ffff:203.0.113.9x", "addressUnknown"],
    ["1:2:3:4:5:6:7:8:203.0.113.9", "addressUnknown"],
    ["203.0.113.5:4711", "addressUnknown"],
    ["2001:db8::1::", "addressUnknown"],
    ["2001:db8:\t:1", "addressUnknown"],
    ["", "addressUnknown"],
    [undefined, "addressUnknown"],
  ])("%s: %s", async (address, outcome) => {
    expect(await outcomeOf(address)).toBe(outcome);
  });

  it("ignores X-Forwarded-For, which anyone can set", async () => {
    expect(await outcomeOf("192.0.2.1", "203.0.113.5")).toBe("addressNotAllowed");
  });
});

describe("behind trusted proxies X-Forwarded-For is read from the right", () => {
  const trustedProxies = ["10.0.0.0/8", "fd00::/8"];
  it.each([
    ["10.0.0.1", "203.0.113.5", "accepted"],
    ["10.0.0.1", "192.0.2.1, 203.0.113.5", "accepted"],
    ["10.0.0.1", "203.0.113.5, 192.0.2.1", "addressNotAllowed"],
    ["10.0.0.1", "203.0.113.5, 10.9.9.9, fd00::1", "accepted"],
    ["10.0.0.1", "203.0.113.5:4711", "accepted"],
    ["10.0.0.1", "[2001:db8::1]:4711", "accepted"],
    ["10.0.0.1", "x203.0.113.5:4711", "addressUnknown"],
    ["10.0.0.1", "203.0.113.5:4711x", "addressUnknown"],
    ["10.0.0.1", "x[2001:db8::1]:4711", "addressUnknown"],
    ["10.0.0.1", "[2001:db8::1]:4711x", "addressUnknown"],
    ["10.0.0.1", "10.0.0.2", "addressNotAllowed"],
    ["10.0.0.1", "unknown", "addressUnknown"],
    ["10.0.0.1", "[2001:db8::1]", "addressUnknown"],
    ["10.0.0.1", "203.0.113.5,", "addressUnknown"],
    ["10.0.0.1", `203.0.113.5${", 10.0.0.2".repeat(31)}`, "accepted"],
    ["10.0.0.1", `203.0.113.5${", 10.0.0.2".repeat(32)}`, "addressUnknown"],
    ["10.0.0.1", undefined, "addressNotAllowed"],
    ["192.0.2.1", "203.0.113.5", "addressNotAllowed"],
  ])("peer %s, header %s: %s", async (peer, forwarded, outcome) => {
    expect(await outcomeOf(peer, forwarded, { trustedProxies })).toBe(outcome);
  });
});

describe("a refusal names the address that was seen", () => {
  const refusal = (remoteAddress: string | undefined, forwarded?: string) =>
    new Webhooks({ auth: [ipAllowList(ranges, { trustedProxies: ["10.0.0.0/8"] })] })
      .verify({ headers: { "x-forwarded-for": forwarded }, body, remoteAddress })
      .then(
        () => expect.unreachable(),
        (error: WebhookAuthError) => error,
      );

  it.each([
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["10.0.0.1", "203.0.113.5, 192.0.2.7:99", "192.0.2.7"],
    ["10.0.0.1", undefined, "10.0.0.1"],
    ["nonsense", undefined, "nonsense"],
    ["10.0.0.1", 'evil\u202e\u0007"name"', "evil???name?"],
    ["10.0.0.1", "x".repeat(9_000), "x".repeat(64)],
  ])("peer %s, header %s", async (peer, forwarded, address) => {
    const error = await refusal(peer, forwarded);
    expect(error.address).toBe(address);
    expect(error.message).toContain(address);
  });

  it("or says that the address is unknown", async () => {
    const error = await refusal(undefined);
    expect([error.reason, error.address]).toEqual(["addressUnknown", undefined]);
  });
});

describe("the source of the address", () => {
  const webhooks = new Webhooks({ auth: [ipAllowList(ranges)] });
  const request = () => new Request("http://localhost/", { method: "POST", body });
  it("takes it from the context, even in Deno's form", async () => {
    const outcomeIn = (context?: Parameters<typeof webhooks.verify>[1]) =>
      reasonOf(webhooks.verify(request(), context));
    expect(await outcomeIn({ remoteAddress: "203.0.113.1" })).toBe("accepted");
    expect(await outcomeIn({ remoteAddr: { hostname: "203.0.113.1" } })).toBe("accepted");
    expect(await outcomeIn()).toBe("addressUnknown");
  });
});

describe("ranges are checked when the list is created", () => {
  it.each([[[]], [undefined], ["203.0.113.0/24"]])("refuses %j, which is not a list of ranges", (ranges) => {
    expect(() => ipAllowList(ranges as string[])).toThrow(/list with at least one IP address/);
  });

  it("refuses a hole in the list", () => {
    expect(() => ipAllowList(Array(1))).toThrow(/must be an IP address/);
  });

  it("reads an IPv4-mapped range as the IPv4 range", async () => {
    for (const [range, inside, outside] of [
      ["::ffff:203.0.113.0/120", "203.0.113.77", "203.0.114.77"],
      ["::ffff:203.0.113.7", "203.0.113.7", "203.0.113.8"],
    ] as const) {
      const webhooks = new Webhooks({ auth: [ipAllowList([range])] });
      const outcome = (remoteAddress: string) => reasonOf(webhooks.verify({ headers: {}, body, remoteAddress }));
      expect([await outcome(inside), await outcome(outside)]).toEqual(["accepted", "addressNotAllowed"]);
    }
  });
});
