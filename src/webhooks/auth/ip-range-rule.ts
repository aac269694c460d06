import type { Rule } from "../../shared/options.ts";

/**
 * A rule for an IP address or CIDR range. `ipAllowList` parses it later; this rule keeps ipaddr.js out of bundles
 * that do not use `ipAllowList`.
 */
export const ipRange: Rule = (value) => {
  const [, host = "", bits] = typeof value === "string" ? (/^([^/]*)(?:\/(\d{1,3}))?$/.exec(value) ?? []) : [];
  const [least, most] = bitsOf(host);
  if (!(Number(bits ?? most) <= most)) return "must be an IP address or a CIDR range, such as 10.0.0.0/8";
  return Number(bits ?? most) >= least
    ? undefined
    : `is so wide that it trusts strangers: an IPv4 range needs /8 or more, an IPv6 range /16 or more. To accept deliveries from everywhere, set \`auth: "none"\``;
};

const none = [0, Number.NaN] as const;

/** Returns the fewest and the most bits of the network that a range of this IP address may have. */
function bitsOf(host: string): readonly [least: number, most: number] {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host)?.slice(1);
  if (parts !== undefined) {
    return parts.every((part) => Number(part) <= 255 && String(Number(part)) === part) ? [8, 32] : none;
  }
  // Only an IPv4-mapped address may end in dotted decimals.
  if (host.length > 45 || !/^(?:[\da-f:]+|[0:]*:ffff:[\d.]+)$/i.test(host)) return none;
  const url = `http://[${host}]`;
  if (!URL.canParse(url)) return none;
  const { hostname } = new URL(url);
  if (/^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(hostname)) return [104, 128];
  // Private networks (RFC 4193, RFC 4291) are wide.
  return [/^\[f[cde]/.test(hostname) ? 7 : 16, 128];
}
