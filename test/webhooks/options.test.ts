import { describe, expect, it, vi } from "vitest";
import { ipAllowList } from "../../src/webhooks/auth/ip-allow-list.ts";
import { memoryStore, Webhooks } from "../../src/webhooks/index.ts";
import { stopClock } from "../support/clock.ts";
import { pollute } from "../support/pollute.ts";
import { eventOf, noWork, receiver, untilAborted } from "./support.ts";

describe("`claimLease`", () => {
  it("alone shortens the work, so that it ends before the lease", async () => {
    const { statusOf, told } = receiver({ SUCCESS: untilAborted }, { claimLease: 120 });
    stopClock();
    const status = statusOf(eventOf("SUCCESS"));
    await vi.advanceTimersByTimeAsync(99);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await status).toBe("FAILED");
    expect(told).toMatchObject([{ hook: "failed", error: { reason: "workTimeout" } }]);
  });

  it("may be as long as `workTimeout`, and not shorter", () => {
    expect(() => new Webhooks({ claimLease: 50, workTimeout: 50 })).not.toThrow();
    expect(() => new Webhooks({ claimLease: 50, workTimeout: 51 })).toThrow("`claimLease` must be at least");
  });
});

describe("hooks", () => {
  it("of the options are those of each handler that has none", async () => {
    const told: string[] = [];
    const webhooks = new Webhooks({
      auth: "none",
      store: memoryStore(),
      findOrder: "none",
      onFailure: () => void told.push("options"),
      onUnknown: (event) => void told.push(event.status),
    });
    await webhooks.handler(noWork).receive({ headers: {}, body: "{oops" });
    await webhooks.handler(noWork).receive({ headers: {}, body: JSON.stringify(eventOf("REVERSED")) });
    const own = webhooks.handler({ ...noWork, onFailure: () => void told.push("handler") });
    await own.receive({ headers: {}, body: "{oops" });
    expect(told).toEqual(["options", "REVERSED", "handler"]);
  });
});

describe("`trustedProxies`", () => {
  const withProxies = (trustedProxies: readonly string[]) => ipAllowList(["203.0.113.0/24"], { trustedProxies });

  it.each([
    ..."bad 10.0.0 10.0.0.256 10.0.0.0/33 010.0.0.1 10.0.0.0/ 10.0.0.0/8/8 10.0.0.1:80 ::1/129 :: :::: 1:2 [::1]"
      .split(" ")
      .filter((text) => text !== "::"),
    "fe80::1%eth0",
    "x/203.0.113.0/24",
    "203.0.113.0/ 24",
    "::203.0.113.9",
    "::ffff:203.0.113.09",
    "proxy.example.in",
    "*",
    "",
    " 10.0.0.1",
    "x2001:db8::1",
    "x10.0.0.1",
    7,
    ["10.0.0.1"],
    undefined,
  ])("%j is refused as a proxy, and as a sender", (range) => {
    expect(() => withProxies(["10.0.0.0/8", range] as never)).toThrow(
      /^ipAllowList: `trustedProxies` has an invalid element at index 1: .*CIDR/,
    );
    expect(() => ipAllowList([range] as never)).toThrow(/^ipAllowList: .* must be an IP address or a CIDR range/);
  });

  it.each(
    [
      "10.0.0.0/8 127.0.0.1 192.168.255.255/32 10.100.200.250 :: ::1 fc00::/7 fd00::/8 2001:DB8::1/128",
      "::ffff:203.0.113.9 ::ffff:10.0.0.0/104 0:0:0:0:0:ffff:10.0.0.1",
      "0000:0000:0000:0000:0000:ffff:203.100.113.200/128",
    ].flatMap((line) => line.split(" ")),
  )("%s is accepted as both", (range) => {
    expect(() => withProxies([range])).not.toThrow();
    expect(() => ipAllowList([range])).not.toThrow();
  });

  it.each([
    "0.0.0.0/0",
    "0.0.0.0/1",
    "128.0.0.0/7",
    "::/0",
    "2000::/3",
    "::ffff:0:0/96",
    "::ffff:0.0.0.0/0",
    "::ffff:1.2.3.4/90",
    "fe::/7",
    "2400:fd00::/8",
  ])("%s, a range of strangers, is refused as a proxy, and as a sender", (range) => {
    expect(() => withProxies([range])).toThrow("is so wide that it trusts strangers");
    expect(() => ipAllowList([range])).toThrow(/^ipAllowList: ".*" is so wide .* set `auth: "none"`\.$/);
  });

  it("is copied: a later change of the list trusts no other proxy", async () => {
    const trustedProxies = ["10.0.0.0/8"];
    const webhooks = new Webhooks({ auth: [withProxies(trustedProxies)] });
    trustedProxies[0] = "0.0.0.0/0";
    const delivery = { headers: { "x-forwarded-for": "203.0.113.5" }, body: "{}", remoteAddress: "192.0.2.1" };
    await expect(webhooks.verify(delivery)).rejects.toMatchObject({ reason: "addressNotAllowed" });
  });
});

describe("a polluted Object.prototype", () => {
  it.each([{ remoteAddress: "203.0.113.7" }, { remoteAddr: { hostname: "203.0.113.7" } }])(
    "does not name a sender: %o",
    async (properties) => {
      const { send, told } = receiver({}, { auth: [ipAllowList(["203.0.113.0/24"])] });
      pollute(properties);
      expect((await send(eventOf("SUCCESS"))).ack.status).toBe("FAILED");
      expect(told).toMatchObject([{ error: { reason: "addressUnknown" } }]);
    },
  );

  it("does not override the address that a context names", async () => {
    const webhooks = new Webhooks({ auth: [ipAllowList(["203.0.113.0/24"])] });
    pollute({ remoteAddress: "203.0.113.7" });
    const request = new Request("http://localhost/", { method: "POST", body: "{}" });
    await expect(webhooks.verify(request, { remoteAddress: "6.6.6.6" })).rejects.toMatchObject({ address: "6.6.6.6" });
  });

  it("handles no unknown status", async () => {
    pollute({ onUnknown: () => {} });
    expect(await receiver().statusOf(eventOf("REVERSED"))).toBe("FAILED");
  });

  it.each([1500.5, "1500.50", { amount: 1500.5 }])("settles no order: %j", async (order) => {
    const { statusOf, ran } = receiver({}, { findOrder: () => order });
    pollute({ settled: true });
    expect(await statusOf(eventOf("SUCCESS"))).toBe("SUCCESS");
    expect(ran).toHaveLength(1);
  });
});
