import ipaddr from "ipaddr.js";
import { ConfigurationError } from "../../errors/request.ts";
import { ipRange } from "./ip-range-rule.ts";

/** An IPv4 address, or an IPv6 address that is not an IPv4 address in disguise. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network: its address, and how many bits of it count. */
export type Range = readonly [network: Address, bits: number];

/** The longest IP address: IPv4-mapped IPv6. */
const maxLength = 45;

/**
 * Parses an IP address in the notation that sockets use, IPv4-mapped IPv6 as IPv4. Returns undefined for other
 * notations, because software disagrees on them: leading zeros, fewer than four parts, the deprecated IPv4-compatible
 * form (`::192.0.2.1`), brackets, a zone.
 */
export function parseAddress(text: string): Address | undefined {
  if (text.length > maxLength) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const [, prefix, dotted] = /^([\da-f:]+:)([\d.]+)$/i.exec(text) ?? [];
  if (dotted?.includes(".")) {
    const isMapped = ipaddr.IPv4.isValidFourPartDecimal(dotted) && parseSixes(`${prefix}0:0`)?.isIPv4MappedAddress();
    return isMapped ? ipaddr.IPv4.parse(dotted) : undefined;
  }
  const address = parseSixes(text);
  return address?.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** Hexadecimal groups alone: ipaddr.js also reads zones, and an embedded IPv4 address with leading zeros. */
function parseSixes(text: string): ipaddr.IPv6 | undefined {
  return /^[\da-f:]+$/i.test(text) && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

/** @throws ConfigurationError for anything but an IP address or a CIDR range, and for one that is too wide. */
export function parseRange(owner: string, range: unknown): Range {
  const complaint = ipRange(range, owner);
  const [host = "", bits] = String(range).split("/");
  const address = parseAddress(host);
  if (complaint !== undefined || address === undefined) {
    throw new ConfigurationError(`${owner}: "${range}" ${complaint ?? "is not an IP address"}.`);
  }
  const isMapped = address.kind() === "ipv4" && host.includes(":");
  return [address, bits === undefined ? address.toByteArray().length * 8 : Number(bits) - (isMapped ? 96 : 0)];
}

export function isWithin(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
