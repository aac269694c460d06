import { getPublicSuffix, parse } from "tldts";
import { ConfigurationError } from "../errors/request.ts";
import { nonEmptyString, type Rules, readOptions } from "../shared/options.ts";
import { isCommercialRegistry, isFreeHosting } from "./free-hosts.ts";
import type { CallbackUrlProblem, CallbackUrlProblemCode } from "./problem.ts";
import { shorteners } from "./shorteners.ts";
import { ignorable, isHostAsWritten, maxHostLength, rawProblem, withoutDot } from "./text.ts";

/** What a check found. */
export interface CallbackUrlReport<Code = CallbackUrlProblemCode> {
  /** True when nothing that was checked is wrong. */
  readonly ok: boolean;
  /** What is wrong. */
  readonly problems: readonly CallbackUrlProblem<Code>[];
  /**
   * What §6.6 asks for and was not checked: that the host fits the whitelisted website, because no `websiteDomain` was
   * given, and what only a connection can show.
   */
  readonly unchecked: readonly ("websiteDomain" | "connection")[];
}

/** What a callback URL is measured against. */
export interface CallbackUrlOptions {
  /** The brand domain that is registered in the account, such as `example.in`. */
  readonly brandDomain: string;
  /**
   * The whitelisted website domain, which may differ from the brand domain. Without it, whether the host fits the website
   * is not checked. A `www.` before it does not count (docs/assumptions.md, W19).
   */
  readonly websiteDomain?: string | undefined;
}

export const callbackUrlRules: Rules<CallbackUrlOptions> = {
  brandDomain: nonEmptyString,
  websiteDomain: nonEmptyString,
};

/**
 * Says whether the service would accept a callback URL (§6.6; docs/assumptions.md, W19). Nothing is sent or looked up.
 *
 * @param url - The address as it would be registered.
 * @param options - See {@link CallbackUrlOptions}.
 * @throws ConfigurationError for an unknown option, and for a `brandDomain` or `websiteDomain` that is not a domain.
 *
 * @example
 * ```ts
 * import { checkCallbackUrl } from "serviceapi/callback-url";
 *
 * const { ok, problems, unchecked } = checkCallbackUrl("https://pay.example.in/hook", { brandDomain: "example.in" });
 * console.log(ok, problems, unchecked); // true [] [ 'websiteDomain', 'connection' ]
 * ```
 */
export function checkCallbackUrl(url: string, options: CallbackUrlOptions): CallbackUrlReport {
  return checkText(url, readOptions("checkCallbackUrl", options, callbackUrlRules, ["brandDomain"]));
}

/** The same with options that have been read. */
export function checkText(url: string, options: CallbackUrlOptions): CallbackUrlReport {
  const brand = readDomain("brandDomain", options.brandDomain);
  const website =
    options.websiteDomain === undefined ? undefined : withoutWww(readDomain("websiteDomain", options.websiteDomain));
  const report = (problems: readonly CallbackUrlProblem[]): CallbackUrlReport => ({
    ok: problems.length === 0,
    problems,
    unchecked: website === undefined ? ["websiteDomain", "connection"] : ["connection"],
  });
  // What `new URL` forgives (`https:/x`, back slashes, tabs, `%61`, full-width dots) others may read differently.
  const raw = rawProblem(url);
  if (raw !== undefined) return report([raw]);
  const parsed = URL.parse(url);
  const host = parsed === null ? "" : withoutDot(parsed.hostname);
  if (parsed === null || host === "") return report([problem("malformed", "is not an https URL")]);
  const unusable = hostProblem(url, host);
  // Without a domain, what domain it is on is not a question.
  if (unusable !== undefined) return report([...portProblems(parsed), unusable]);
  return report([...portProblems(parsed), ...domainProblems(host, brand, website)]);
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function portProblems(url: URL): CallbackUrlProblem[] {
  return url.port === "" ? [] : [problem("port", "must use the default port, 443")];
}

/** Why a host is no domain. */
function hostProblem(url: string, host: string): CallbackUrlProblem | undefined {
  // The parser has already turned decimal, octal and hexadecimal spellings into four parts.
  if (host.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(host)) {
    return problem("ipAddress", "must name a domain, not an IP address");
  }
  // An international name is longer in punycode than it is as text.
  if (host.length > maxHostLength) {
    return problem("hostTooLong", `has a host that is longer than ${maxHostLength} characters`);
  }
  const isName = host.split(".").every((part) => label.test(part)) && isHostAsWritten(url, host);
  return isName ? undefined : problem("malformed", "has an invalid host name");
}

/** RFC 6761, 6762, 8375 and the names that home and company routers hand out. */
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

function domainProblems(host: string, brand: string, website: string | undefined): CallbackUrlProblem[] {
  const found: CallbackUrlProblem[] = [];
  if (isPrivateName(host)) {
    found.push(problem("notPublic", "must be reachable publicly, and this name is for private networks"));
  }
  const depth = depthBelow(host, brand);
  if (depth === undefined) {
    found.push(problem("notBrandDomain", `must be on the registered brand domain ${brand}, or one label below it`));
  } else if (depth > 1) {
    found.push(problem("tooDeep", `is ${depth} labels below ${brand}; one is allowed`));
  }
  const websiteDepth = website === undefined ? 0 : depthBelow(host, website);
  if (websiteDepth === undefined || websiteDepth > 1) {
    found.push(
      problem("notWebsiteDomain", `must be on the whitelisted website domain ${website}, or one label below it`),
    );
  }
  if (isFreeHosting(host)) {
    found.push(problem("freeHosting", "is on a hosting provider's domain, which the service does not allow"));
  }
  if (shorteners.has(parse(host).domain ?? host)) {
    found.push(problem("urlShortener", "is on a URL shortener, which the service does not allow"));
  }
  return found;
}

/** How many labels `host` has more than `domain`; undefined when it is not below it. */
function depthBelow(host: string, domain: string): number | undefined {
  if (host === domain) return 0;
  if (!host.endsWith(`.${domain}`)) return undefined;
  return host.slice(0, -domain.length - 1).split(".").length;
}

function readDomain(name: string, domain: string): string {
  // Before the parser: what is long takes it long, and what is invisible it drops.
  const isText = domain.length <= maxHostLength + 1 && /^[^\s/\\?#@:%\p{C}]+$/u.test(domain) && !ignorable.test(domain);
  const host = isText ? withoutDot(URL.parse(`https://${domain}`)?.hostname ?? "") : "";
  const isDomain = host.length <= maxHostLength && host.split(".").every((part) => label.test(part));
  if (!isDomain || parse(host).isIp || getPublicSuffix(host) === host || isCommercialRegistry(host)) {
    throw new ConfigurationError(
      `checkCallbackUrl: \`${name}\` must be a domain that can be registered, such as example.in.`,
    );
  }
  return host;
}

/** Websites are usually registered with `www`; the domain is what is meant. Never down to a public suffix. */
function withoutWww(host: string): string {
  const rest = host.startsWith("www.") ? host.slice(4) : host;
  return getPublicSuffix(rest) === rest || isCommercialRegistry(rest) ? host : rest;
}

function problem(code: CallbackUrlProblemCode, what: string): CallbackUrlProblem {
  return { code, message: `The callback URL ${what}.` };
}
