import { getPublicSuffix, parse } from "tldts";
import type { Rule } from "../shared/options.ts";
import { isCommercialRegistry } from "./known-hosts.ts";

/** RFC 1035, without the last dot. */
export const maxHostLength = 253;

/** Code points that `new URL` drops from a host, such as variation selectors; `\p{C}` does not include all of them. */
export const ignorable = /\p{Default_Ignorable_Code_Point}/u;

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Whether each part of a parsed host is a label of a domain. */
export function isDomainName(host: string): boolean {
  return host.split(".").every((part) => label.test(part));
}

export function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host;
}

/** Returns how many labels `host` has below `domain`; undefined if it is not on that domain. */
export function depthBelow(host: string, domain: string): number | undefined {
  if (host === domain) return 0;
  if (!host.endsWith(`.${domain}`)) return undefined;
  return host.slice(0, -domain.length - 1).split(".").length;
}

/** A rule for a domain that can be registered. */
export const registrable: Rule = (value) => {
  const host = typeof value === "string" && isPlain(value) ? hostOf(value) : "";
  return host.length > maxHostLength || !isDomainName(host) || parse(host).isIp || isRegistry(host)
    ? "must be a domain that can be registered, such as example.in"
    : undefined;
};

/** Returns a domain in lower case and punycode. */
export function hostOf(domain: string): string {
  return withoutDot(URL.parse(`https://${domain}`)?.hostname ?? "");
}

/** Checked before parsing: the parser is slow on long strings, and drops invisible characters. */
function isPlain(domain: string): boolean {
  return domain.length <= maxHostLength + 1 && /^[^\s/\\?#@:%\p{C}]+$/u.test(domain) && !ignorable.test(domain);
}

/** Websites are usually registered with `www`, but the domain is meant. A public suffix is left as it is. */
export function withoutWww(host: string): string {
  const rest = host.startsWith("www.") ? host.slice(4) : host;
  return isRegistry(rest) ? host : rest;
}

/** Whether domains are registered below this one. */
function isRegistry(host: string): boolean {
  return getPublicSuffix(host) === host || isCommercialRegistry(host);
}
