import ipaddr from "ipaddr.js";
import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { isString } from "../../shared/json.ts";
import { listOf, type Rules, readOptions } from "../../shared/options.ts";
import { authError, type ReceivedDelivery, type WebhookCheck } from "./check.ts";

/** Options of {@link ipAllowList}. */
interface IpAllowListOptions {
  /** IP addresses and CIDR ranges of your own proxies, whose `X-Forwarded-For` is trusted. @default [] */
  readonly trustedProxies?: readonly string[] | undefined;
}

/**
 * Returns a check that accepts deliveries from the given IP addresses only (§5; ask the service operator for its static
 * ranges).
 *
 * Only the peer's own IP address is trusted. Behind proxies of your own, name them in `trustedProxies`:
 * `X-Forwarded-For` is then read from the right, past your proxies, to the first address that is not theirs
 * (docs/assumptions.md, W6). The error of a refused delivery has the IP address that was found (`error.address`).
 *
 * @param ranges - IPv4 and IPv6 addresses and CIDR ranges. IPv4-mapped IPv6 equals IPv4.
 * @param options - See {@link IpAllowListOptions}.
 * @throws ConfigurationError for an empty list, for an element that is neither an IP address nor a CIDR range, and for
 *   a range so wide that it holds strangers.
 *
 * @example
 * ```ts
 * import { Webhooks } from "serviceapi/webhooks";
 * import { ipAllowList } from "serviceapi/webhooks/ip";
 *
 * const webhooks = new Webhooks({
 *   auth: [ipAllowList(["203.0.113.0/24", "2001:db8::/32"], { trustedProxies: ["10.0.0.0/8"] })],
 * });
 * ```
 */
export function ipAllowList(ranges: readonly string[], options: IpAllowListOptions = {}): WebhookCheck {
  if (!Array.isArray(ranges) || ranges.length === 0) {
    throw new ConfigurationError("ipAllowList: pass a list with at least one IP address or CIDR range.");
  }
  const allowed = Array.from(ranges, (range: unknown) => {
    const complaint = isRange(range);
    if (complaint !== undefined) throw new ConfigurationError(`ipAllowList: "${range}" ${complaint}.`);
    return parseRange(range);
  });
  const proxies = readOptions("ipAllowList", options, rules).trustedProxies?.map(parseRange) ?? [];
  return {
    name: "ipAllowList",
    check(delivery) {
      const [address, spelling] = findSender(delivery, proxies);
      if (isWithin(address, allowed)) return undefined;
      throw new WebhookAuthError({
        reason: "addressNotAllowed",
        message: `The sender's IP address, ${spelling}, is not in the allow list. If it belongs to your own proxy, add that to \`trustedProxies\`.`,
        address: spelling,
      });
    },
  };
}

/** A rule for an IP address or a CIDR range that is not so wide that it holds strangers. */
const isRange = (value: unknown) => {
  const [address, bits] = parseRange(value);
  const isIPv4 = address?.kind() === "ipv4";
  if (address === undefined || !(bits <= (isIPv4 ? 32 : 128))) {
    return "must be an IP address or a CIDR range, such as 10.0.0.0/8";
  }
  // Private networks (RFC 4193, RFC 4291) are wide.
  const least = isIPv4 ? 8 : /^f[cde][\da-f]{2}:/.test(address.toString()) ? 7 : 16;
  return bits >= least
    ? undefined
    : `is so wide that it trusts strangers: an IPv4 range needs /8 or more, an IPv6 range /16 or more. To accept deliveries from everywhere, set \`auth: "none"\``;
};
const rules: Rules<IpAllowListOptions> = { trustedProxies: listOf(isRange, 0) };

/** An address, and how it was written. */
type Sender = readonly [address: Address, spelling: string];

/** More proxies than anybody has: the sender writes this header. */
const maxHops = 32;

/** The first address from the right that is not one of our proxies'. */
function findSender(delivery: ReceivedDelivery, proxies: readonly Range[]): Sender {
  const peer = delivery.remoteAddress;
  if (peer === undefined) {
    throw authError(
      "addressUnknown",
      "The sender's IP address is unknown. Use an adapter, or pass `{ remoteAddress }` as the handler's second argument.",
    );
  }
  let sender = readAddress(peer.trim());
  let rest = delivery.header("x-forwarded-for");
  for (let hops = 0; rest !== undefined && isWithin(sender[0], proxies); hops += 1) {
    if (hops === maxHops) throw unreadable(`more than ${maxHops} proxies`);
    const comma = rest.lastIndexOf(",");
    sender = readAddress(withoutPort(rest.slice(comma + 1).trim()));
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return sender;
}

function readAddress(spelling: string): Sender {
  const address = parseAddress(spelling);
  if (address === undefined) throw unreadable(spelling.slice(0, 64).replaceAll(/[^\x20-\x7e]|"/g, "?"));
  return [address, spelling];
}

/** @param seen - What was read, safe for a log. */
function unreadable(seen: string): WebhookAuthError {
  return new WebhookAuthError({
    reason: "addressUnknown",
    message: `The sender's IP address is invalid: "${seen}".`,
    address: seen,
  });
}

/** Some proxies write `203.0.113.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  return /^\[([\da-f:.]+)\]:\d{1,5}$/i.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}

/** An IPv4 address, or an IPv6 address that is not an IPv4 address in disguise. */
type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: its address, and how many bits of it count; none if it is invalid. */
type Range = readonly [network: Address | undefined, bits: number];

/**
 * Parses an IP address in the notation that sockets use, IPv4-mapped IPv6 as IPv4. Returns undefined for other
 * notations, because software disagrees on them: leading zeros, fewer than four parts, the deprecated IPv4-compatible
 * form (`::192.0.2.1`), brackets, a zone.
 */
function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // ipaddr.js accepts zones, and leading zeros in an embedded IPv4 address; the URL parser refuses both.
  const url = `https://[${text}]`;
  if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(url)) return undefined;
  const address = ipaddr.IPv6.parse(new URL(url).hostname.slice(1, -1));
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  return text.includes(".") ? undefined : address;
}

/** Returns a network and how many bits of it count: undefined, and NaN, for anything else. */
function parseRange(range: unknown): Range {
  const [, text = "", written] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(isString(range) ? range : "") ?? [];
  const address = parseAddress(text);
  if (address === undefined) return [undefined, Number.NaN];
  const length = address.toByteArray().length * 8;
  /** The bits before an IPv4 address that is written as IPv6, which its range counts. */
  const before = length === 32 && text.includes(":") ? 96 : 0;
  return [address, Number(written ?? length + before) - before];
}

function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network?.kind() === address.kind() && address.match(network, bits));
}
