import ipaddr from "ipaddr.js";
import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import type { ReceivedDelivery, WebhookCheck } from "./check.ts";

/**
 * Accepts deliveries from the given addresses alone (§5; the service operator tells its static ranges).
 *
 * The peer's address alone is trusted. Behind proxies of your own, name them in `trustedProxies`: `X-Forwarded-For` is
 * then read from the right, past your proxies, to the first address that is not yours (docs/assumptions.md, W6).
 *
 * @param ranges - IPv4 and IPv6 addresses and CIDR ranges. IPv4-mapped IPv6 equals IPv4.
 * @throws ConfigurationError for a range that is none.
 *
 * @example
 * ```ts
 * import { Webhooks } from "serviceapi/webhooks";
 * import { ipAllowList } from "serviceapi/webhooks/ip";
 *
 * const webhooks = new Webhooks({
 *   auth: [ipAllowList(["203.0.113.0/24", "2001:db8::/32"])],
 *   trustedProxies: ["10.0.0.0/8"],
 * });
 * ```
 */
export function ipAllowList(ranges: readonly string[]): WebhookCheck {
  if (!Array.isArray(ranges) || ranges.length === 0) {
    throw new ConfigurationError("ipAllowList: give a list with at least one address or range.");
  }
  const allowed = ranges.map((range) => parseRange("ipAllowList", range));
  let proxies: { readonly source: readonly string[]; readonly ranges: readonly Range[] } | undefined;
  return {
    name: "ipAllowList",
    check(delivery) {
      if (proxies?.source !== delivery.trustedProxies) {
        const source = delivery.trustedProxies;
        proxies = { source, ranges: source.map((range) => parseRange("trustedProxies", range)) };
      }
      if (!isWithin(findSender(delivery, proxies.ranges), allowed)) {
        throw new WebhookAuthError({
          reason: "addressNotAllowed",
          message: "The sender's address is not in the allow list. Behind a proxy of yours, set `trustedProxies`.",
        });
      }
      return undefined;
    },
  };
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = readonly [network: Address, bits: number];

/** The first address from the right that is not one of our proxies'. */
function findSender(delivery: ReceivedDelivery, proxies: readonly Range[]): Address {
  const forwarded = delivery.header("x-forwarded-for")?.split(",") ?? [];
  let sender = readAddress(delivery.remoteAddress);
  while (forwarded.length > 0 && isWithin(sender, proxies)) sender = readAddress(forwarded.pop());
  return sender;
}

function readAddress(text: string | undefined): Address {
  const address = text === undefined ? undefined : parseAddress(withoutPort(text.trim()));
  if (address !== undefined) return address;
  throw new WebhookAuthError({
    reason: "addressUnknown",
    message:
      "The sender's address is not known. An adapter tells it; with a plain Request, pass `{ remoteAddress }` as the handler's second argument.",
  });
}

/** Some proxies write `203.0.113.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

function parseAddress(text: string): Address | undefined {
  // The four-part form alone: `010.0.0.1` and `167772161` are read differently by different software.
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text) : undefined;
}

function parseRange(owner: string, text: string): Range {
  const [host = "", bits, more] = String(text).split("/");
  const address = parseAddress(host);
  const size = address?.kind() === "ipv4" ? 32 : 128;
  const mapped = address?.kind() === "ipv4" && host.includes(":") ? 96 : 0;
  const prefix = bits === undefined ? size : /^\d{1,3}$/.test(bits) ? Number(bits) - mapped : Number.NaN;
  if (address === undefined || more !== undefined || !(prefix >= 0 && prefix <= size)) {
    throw new ConfigurationError(`${owner}: "${text}" is no IP address and no CIDR range such as 203.0.113.0/24.`);
  }
  return [address, prefix];
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
