import type { Rule } from "../../shared/options.ts";

/**
 * A rule for an IP address or CIDR range. `ipAllowList` parses it later; this rule keeps ipaddr.js out of bundles
 * that do not use `ipAllowList`.
 */
export const ipRange: Rule = (value) =>
  typeof value === "string" && (isIpv4(value) || isIpv6(value))
    ? undefined
    : "must be an IP address or a CIDR range, such as 10.0.0.0/8";

function isIpv4(text: string): boolean {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,3}))?$/.exec(text)?.slice(1);
  if (parts === undefined) return false;
  const [bits = "32"] = parts.splice(4);
  return Number(bits) <= 32 && parts.every((part) => Number(part) <= 255 && String(Number(part)) === part);
}

function isIpv6(text: string): boolean {
  // Only an IPv4-mapped address may end in dotted decimals.
  const [, address, bits = "128"] = /^([\da-f:]+|[0:]*:ffff:[\d.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  return address !== undefined && Number(bits) <= 128 && text.length <= 49 && URL.canParse(`http://[${address}]`);
}
