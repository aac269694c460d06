import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import type { ReceivedDelivery, WebhookCheck } from "./check.ts";
import { type Address, isWithin, parseAddress, parseRange, type Range } from "./ip-address.ts";

/**
 * Returns a check that accepts deliveries from the given IP addresses only (§5; ask the service operator for its static
 * ranges).
 *
 * Only the peer's own IP address is trusted. Behind proxies of your own, name them in `trustedProxies`:
 * `X-Forwarded-For` is then read from the right, past your proxies, to the first address that is not theirs
 * (docs/assumptions.md, W6). The error of a refused delivery has the IP address that was found (`error.address`).
 *
 * @param ranges - IPv4 and IPv6 addresses and CIDR ranges. IPv4-mapped IPv6 equals IPv4.
 * @throws ConfigurationError for an empty list, and for an element that is neither an IP address nor a CIDR range.
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
    throw new ConfigurationError("ipAllowList: pass a list with at least one IP address or CIDR range.");
  }
  const allowed = Array.from(ranges, (range) => parseRange("ipAllowList", range));
  let proxies: { readonly source: readonly string[]; readonly ranges: readonly Range[] } | undefined;
  return {
    name: "ipAllowList",
    check(delivery) {
      if (proxies?.source !== delivery.trustedProxies) {
        const source = delivery.trustedProxies;
        proxies = { source, ranges: Array.from(source, (range) => parseRange("trustedProxies", range)) };
      }
      const { address, spelling } = findSender(delivery, proxies.ranges);
      if (isWithin(address, allowed)) return undefined;
      throw new WebhookAuthError({
        reason: "addressNotAllowed",
        message: `The sender's IP address, ${spelling}, is not in the allow list. If it belongs to your own proxy, add that to \`trustedProxies\`.`,
        address: spelling,
      });
    },
  };
}

interface Sender {
  readonly address: Address;
  /** As it was written. */
  readonly spelling: string;
}

/** More proxies than anybody has: the sender writes this header. */
const maxHops = 32;

/** The first address from the right that is not one of our proxies'. */
function findSender(delivery: ReceivedDelivery, proxies: readonly Range[]): Sender {
  const peer = delivery.remoteAddress;
  if (peer === undefined) {
    throw new WebhookAuthError({
      reason: "addressUnknown",
      message:
        "The sender's IP address is unknown. Use an adapter, or pass `{ remoteAddress }` as the handler's second argument.",
    });
  }
  let sender = readAddress(peer.trim());
  let rest = delivery.header("x-forwarded-for");
  for (let hops = 0; rest !== undefined && isWithin(sender.address, proxies); hops += 1) {
    if (hops === maxHops) throw unreadable(`more than ${maxHops} proxies`);
    const comma = rest.lastIndexOf(",");
    sender = readAddress(withoutPort(rest.slice(comma + 1).trim()));
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return sender;
}

function readAddress(spelling: string): Sender {
  const address = parseAddress(spelling);
  if (address === undefined) throw unreadable(printable(spelling));
  return { address, spelling };
}

function unreadable(seen: string): WebhookAuthError {
  return new WebhookAuthError({
    reason: "addressUnknown",
    message: `The sender's IP address is invalid: "${seen}".`,
    address: seen,
  });
}

/** An invalid IP address, safe for a log. */
function printable(text: string): string {
  return text.slice(0, 64).replaceAll(/[^\x20-\x7e]|"/g, "?");
}

/** Some proxies write `203.0.113.7:4711` and `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  if (text.length > 64) return text;
  return /^\[([\da-f:.]+)\]:\d{1,5}$/i.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
}
