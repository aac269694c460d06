import { depthBelow, ignorable, isDomainName, maxHostLength, withoutDot } from "./domain.ts";
import { isFreeHosting, isShortener } from "./known-hosts.ts";

/** A machine-readable code for why the service would block a callback URL (§6.6). */
export type CallbackUrlProblemCode =
  | "notString"
  | "tooLong"
  | "hostTooLong"
  | "whiteSpace"
  | "invisibleCharacter"
  | "backslash"
  | "malformed"
  | "notHttps"
  | "userInfo"
  | "encodedHost"
  | "wideCharacter"
  | "port"
  | "ipAddress"
  | "notPublic"
  | "notBrandDomain"
  | "tooDeep"
  | "notWebsiteDomain"
  | "freeHosting"
  | "urlShortener";

/** One problem of a callback URL. */
export interface CallbackUrlProblem<Code = CallbackUrlProblemCode> {
  /** A machine-readable code. */
  readonly code: Code;
  /** Description of the problem, and what to do about it. */
  readonly message: string;
}

/** @param what - What is wrong, after "The callback URL". */
export function problem<Code extends string>(code: Code, what: string): CallbackUrlProblem<Code> {
  return { code, message: `The callback URL ${what}.` };
}

/** A callback URL, and the domains of the account. */
interface Subject {
  readonly url: string;
  /** The host as it is written, without the port and the last dot; with a user name, if there is one. */
  readonly written: string;
  /** The parsed host, without the last dot; empty before the URL is parsed. */
  readonly host: string;
  readonly brand: string;
  readonly website: string | undefined;
}

/**
 * Returns the rules that a URL breaks (§6.6): the first of those for the text, which apply before it is parsed, and then
 * those for the host. The rules for domains apply only to a host that is one.
 */
export function findProblems(url: unknown, brand: string, website: string | undefined): readonly CallbackUrlProblem[] {
  if (typeof url !== "string") return [problem("notString", "must be a string")];
  const text = { url, written: writtenHost(url), host: "", brand, website };
  const [raw] = broken(writtenRules, text);
  if (raw !== undefined) return [raw];
  const { hostname = "", port = "" } = URL.parse(url) ?? {};
  const subject = { ...text, host: withoutDot(hostname) };
  const ports = port === "" ? [] : [problem("port", "must use the default port, 443")];
  const [invalid] = broken(nameRules, subject);
  return [...ports, ...(invalid === undefined ? broken(domainRules, subject) : [invalid])];
}

type Rule = readonly [
  code: CallbackUrlProblemCode,
  breaks: (subject: Subject) => boolean,
  what: string | ((subject: Subject) => string),
];

/** Yields one at a time: a later rule may take long for a URL that an earlier one refuses, such as a long one. */
function* broken(rules: readonly Rule[], subject: Subject): Generator<CallbackUrlProblem> {
  for (const [code, breaks, what] of rules) {
    if (breaks(subject)) yield problem(code, typeof what === "string" ? what : what(subject));
  }
}

/** An international name is longer in punycode than as it is written. */
const hostTooLong: Rule = [
  "hostTooLong",
  ({ written, host }) => Math.max(written.length, host.length) > maxHostLength,
  `has a host that is longer than ${maxHostLength} characters`,
];

/** Browsers, proxies and databases commonly stop here. */
const maxLength = 2_048;

/**
 * Rules for the URL as it is written, in their order. `new URL` forgives much that other software reads differently:
 * `https:/x`, backslashes, tabs, `%61`, full-width dots.
 */
const writtenRules: readonly Rule[] = [
  ["tooLong", ({ url }) => url.length > maxLength, `is longer than ${maxLength} characters`],
  hostTooLong,
  ["whiteSpace", ({ url }) => /\s/u.test(url), "must not contain white space"],
  [
    "invisibleCharacter",
    ({ url, written }) => /\p{C}/u.test(url) || ignorable.test(written),
    "must not contain control characters or invisible characters",
  ],
  ["backslash", ({ url }) => url.includes("\\"), "must not contain a backslash"],
  ["notHttps", ({ url }) => /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^https:/i.test(url), "must begin with https://"],
  ["malformed", ({ url }) => !/^https:\/\/[^/]/i.test(url), "must begin with https:// and a host"],
  ["userInfo", ({ written }) => written.includes("@"), "must not contain a user name or password"],
  ["encodedHost", ({ written }) => written.includes("%"), "must not have percent signs in its host"],
  [
    "wideCharacter",
    // U+3002 is parsed as a dot, but Unicode's own normalization keeps it.
    ({ written }) => written.normalize("NFKC") !== written || written.includes("\u3002"),
    "must not have characters in its host that only look like others",
  ],
];

/** Why a host is not a domain. */
const nameRules: readonly Rule[] = [
  ["malformed", ({ host }) => host === "", "is not a valid https URL"],
  [
    "ipAddress",
    // The parser has already converted decimal, octal and hexadecimal notations to four parts.
    ({ host }) => host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host),
    "must have a domain as its host, not an IP address",
  ],
  hostTooLong,
  [
    "malformed",
    ({ written, host }) => !isDomainName(host) || !isHostAsWritten(written, host),
    "has an invalid host name",
  ],
];

const domainRules: readonly Rule[] = [
  [
    "notPublic",
    ({ host }) => !host.includes(".") || privateNames.test(host),
    "must be publicly reachable, but has the host of a private network",
  ],
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
  ["urlShortener", ({ host }) => isShortener(host), "must not be on a URL shortener"],
];

/** RFC 6761, 6762, 8375 and the names that home and company routers use. */
const privateNames = /\.(?:localhost|local|internal|intranet|lan|home|corp|test|example|invalid|onion|home\.arpa)$/;

/** Whether the parser kept the host as it is written: an all-ASCII host may only change to lower case. */
function isHostAsWritten(written: string, host: string): boolean {
  return /\P{ASCII}/u.test(written) || written.toLowerCase() === host;
}

/** Between `//` and the path: the host as it is written, without its port and last dot. */
function writtenHost(url: string): string {
  return withoutDot((/^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "").replace(/:\d*$/, ""));
}
