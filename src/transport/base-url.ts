import { ConfigurationError } from "../errors/request.ts";
import type { Area } from "../options.ts";

/** The path in front of each area's operations, as §4 shows it (docs/assumptions.md, T1). */
export const defaultPrefixes: Record<Area, string> = { verification: "", ai: "api/serviceapi-prod/api", flight: "" };

/** What decides where a call goes. */
export interface AddressOptions {
  readonly pathPrefixes?: Partial<Record<Area, string>> | undefined;
  readonly dangerouslyAllowHttp?: readonly string[] | undefined;
}

/** Checks a base URL (docs/assumptions.md, T2) and returns it without a trailing slash. */
export function checkBaseUrl(text: string, options: AddressOptions): string {
  const url = parse(text);
  if (url.username !== "" || url.password !== "") throw refuse("must not hold a user name or password");
  if (url.search !== "" || url.hash !== "" || /[?#]/.test(text)) throw refuse("must not hold a query or fragment");
  if (url.protocol === "http:" && !isHttpAllowed(url.hostname, options.dangerouslyAllowHttp ?? [])) {
    throw refuse(
      "must be https: the client secret travels in a header . `dangerouslyAllowHttp` names test hosts that may do without",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** The URL of an operation. Refuses a base that already ends in the area's prefix or in its beginning, which would double it. */
export function operationUrl(baseUrl: string, area: Area, path: string, options: AddressOptions): string {
  const prefix = (options.pathPrefixes?.[area] ?? defaultPrefixes[area]).replaceAll(/^\/+|\/+$/g, "");
  if (prefix === "") return `${baseUrl}/${path}`;
  const doubled = endOfBase(baseUrl, prefix.split("/"));
  if (doubled !== undefined) {
    throw refuse(
      `already ends in "${doubled}", with which the path "${prefix}" begins that this library adds; ` +
        `use ${baseUrl.slice(0, -doubled.length - 1)}, or change \`pathPrefixes.${area}\``,
    );
  }
  return `${baseUrl}/${prefix}/${path}`;
}

/** The beginning of the prefix, as long as possible, in which the base already ends. */
function endOfBase(baseUrl: string, prefix: readonly string[]): string | undefined {
  const { pathname } = new URL(baseUrl);
  return prefix
    .map((_, i) => prefix.slice(0, prefix.length - i).join("/"))
    .find((part) => pathname.endsWith(`/${part}`));
}

/** True for the machine itself: `localhost`, `127.0.0.0/8`, `[::1]`. `URL` has already put every spelling in this form. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function isHttpAllowed(hostname: string, allowed: readonly string[]): boolean {
  return isLoopback(hostname) || allowed.some((host) => host.toLowerCase() === hostname);
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refuse("is not a URL such as https://api.example.com");
  }
  return url;
}

function refuse(reason: string): ConfigurationError {
  return new ConfigurationError(`\`baseUrl\` ${reason}.`);
}
