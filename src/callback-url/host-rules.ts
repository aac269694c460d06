import { parse } from "tldts";
import { depthBelow, isDomainName, maxHostLength } from "./domain.ts";
import { isFreeHosting } from "./free-hosts.ts";
import { type CallbackUrlProblem, type CallbackUrlProblemCode, problem } from "./problem.ts";
import { isHostAsWritten } from "./raw-url.ts";
import { shorteners } from "./shorteners.ts";

/** A parsed callback URL, and the domains of the account. */
export interface Subject {
  /** The URL as it is written. */
  readonly url: string;
  /** Its parsed host, without the last dot. */
  readonly host: string;
  /** Its port; empty for the default one. */
  readonly port: string;
  readonly brand: string;
  readonly website: string | undefined;
}

/**
 * Returns the problems of a parsed callback URL (§6.6): the rules for domains apply only to a host that is one.
 */
export function hostProblems(subject: Subject): readonly CallbackUrlProblem[] {
  const invalid = broken(nameRules, subject).slice(0, 1);
  return [...broken(portRules, subject), ...(invalid.length > 0 ? invalid : broken(domainRules, subject))];
}

type Rule = readonly [
  code: CallbackUrlProblemCode,
  breaks: (subject: Subject) => boolean,
  what: string | ((subject: Subject) => string),
];

function broken(rules: readonly Rule[], subject: Subject): CallbackUrlProblem[] {
  return rules
    .filter(([, breaks]) => breaks(subject))
    .map(([code, , what]) => problem(code, typeof what === "string" ? what : what(subject)));
}

const portRules: readonly Rule[] = [["port", ({ port }) => port !== "", "must use the default port, 443"]];

/** Why a host is not a domain. */
const nameRules: readonly Rule[] = [
  [
    "ipAddress",
    // The parser has already converted decimal, octal and hexadecimal notations to four parts.
    ({ host }) => host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host),
    "must have a domain as its host, not an IP address",
  ],
  [
    "hostTooLong",
    // An international name is longer in punycode than as it is written.
    ({ host }) => host.length > maxHostLength,
    `has a host that is longer than ${maxHostLength} characters`,
  ],
  ["malformed", ({ url, host }) => !isDomainName(host) || !isHostAsWritten(url, host), "has an invalid host name"],
];

const domainRules: readonly Rule[] = [
  ["notPublic", ({ host }) => isPrivateName(host), "must be publicly reachable, but has the host of a private network"],
  [
    "notBrandDomain",
    ({ host, brand }) => depthBelow(host, brand) === undefined,
    ({ brand }) => `must be on the registered brand domain ${brand}, or one label below it`,
  ],
  [
    "tooDeep",
    ({ host, brand }) => (depthBelow(host, brand) ?? 0) > 1,
    ({ host, brand }) => `is ${depthBelow(host, brand)} labels below ${brand}; one is allowed`,
  ],
  [
    "notWebsiteDomain",
    ({ host, website }) => website !== undefined && (depthBelow(host, website) ?? 2) > 1,
    ({ website }) => `must be on the whitelisted website domain ${website}, or one label below it`,
  ],
  ["freeHosting", ({ host }) => isFreeHosting(host), "must not be on the domain of a hosting provider"],
  ["urlShortener", ({ host }) => shorteners.has(parse(host).domain ?? host), "must not be on a URL shortener"],
];

/** RFC 6761, 6762, 8375 and the names that home and company routers use. */
const privateNames = [
  "localhost",
  "local",
  "internal",
  "intranet",
  "lan",
  "home",
  "corp",
  "test",
  "example",
  "invalid",
  "onion",
  "home.arpa",
];

function isPrivateName(host: string): boolean {
  return !host.includes(".") || privateNames.some((name) => host.endsWith(`.${name}`));
}
