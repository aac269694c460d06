import { BlockList, isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { ConfigurationError } from "../errors/request.ts";
import { credentialComplaint } from "../shared/credential.ts";

/** The end of a connection, with the options of its TLS if it has one. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly tls: ConnectionOptions | undefined;
}

/** A proxy over HTTP. */
export interface HttpProxy extends Endpoint {
  /** The value of `proxy-authorization`. */
  readonly authorization: string | undefined;
}

/** Returns the proxy of a URL. */
export type ProxyFor = (url: URL) => HttpProxy | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns a function that chooses the proxy for a URL: the one of the option, or that of the environment. */
export function chooseProxy(option: string | URL | false | undefined, env: Environment): ProxyFor {
  if (option === false) return () => undefined;
  if (option !== undefined) {
    const proxy = parseProxy(String(option), "nodeFetch: `proxy`");
    return () => proxy;
  }
  const https = fromEnvironment(env, ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]);
  // In a CGI program HTTP_PROXY is what the client sent as the header `Proxy` (httpoxy).
  const names = ["http_proxy", ...(env.REQUEST_METHOD === undefined ? ["HTTP_PROXY"] : []), "all_proxy", "ALL_PROXY"];
  const http = fromEnvironment(env, names);
  const bypasses = readNoProxy(firstOf(env, ["no_proxy", "NO_PROXY"])?.[1] ?? "");
  return (url) => (bypasses(url) ? undefined : url.protocol === "https:" ? https : http);
}

function fromEnvironment(env: Environment, names: readonly string[]): HttpProxy | undefined {
  const found = firstOf(env, names);
  if (found === undefined) return undefined;
  const [name, value] = found;
  return parseProxy(value.includes("://") ? value : `http://${value}`, `nodeFetch: the environment variable ${name}`);
}

function firstOf(env: Environment, names: readonly string[]): readonly [string, string] | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value) return [name, value];
  }
  return undefined;
}

/** The message never has the URL in it: a password may be. */
function parseProxy(text: string, owner: string): HttpProxy {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") {
    throw new ConfigurationError(`${owner} must be the URL of an HTTP proxy, such as http://proxy.internal:3128.`);
  }
  return { ...endpointOf(url, { ALPNProtocols: ["http/1.1"] }), authorization: authorizationOf(url, owner) };
}

function authorizationOf({ username, password }: URL, owner: string): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = [username, password].map((part) => decode(part, owner));
  return `Basic ${Buffer.from(credentials.join(":")).toString("base64")}`;
}

/** Either part may be empty: a token as the user name, for example. */
function decode(part: string, owner: string): string {
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    throw new ConfigurationError(`${owner} has credentials that are not percent-encoded. Encode "%" as "%25".`);
  }
  const complaint = text === "" ? undefined : credentialComplaint(text, "text");
  if (complaint === undefined) return text;
  throw new ConfigurationError(`${owner}: its user name or password ${complaint}.`);
}

/**
 * Reads NO_PROXY as curl does: names with their subdomains, IP addresses and CIDR blocks, separated by commas or
 * blanks; `*` is every host. A port after a name limits it to that port.
 */
function readNoProxy(list: string): (url: URL) => boolean {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  if (entries.includes("*")) return () => true;
  const matchers = entries.map(matcherOf);
  return (url) => {
    const { host, port } = endpointOf(url, {});
    return matchers.some((matches) => matches(host.replace(/\.$/, ""), port));
  };
}

function matcherOf(entry: string): (host: string, port: number) => boolean {
  const [, block = "", bits] = /^\[?([\da-f.:]+)\]?(?:\/(\d+))?$/.exec(entry) ?? [];
  const family = isIP(block);
  const most = family === 4 ? 32 : 128;
  // Also for one address: it may be written in several ways.
  if (family !== 0 && Number(bits ?? most) <= most) {
    const blocks = new BlockList();
    blocks.addSubnet(block, Number(bits ?? most), family === 4 ? "ipv4" : "ipv6");
    return (host) => isIP(host) !== 0 && blocks.check(host, isIP(host) === 4 ? "ipv4" : "ipv6");
  }
  const [, bracketed, name = entry, only] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const suffix = (bracketed ?? name).replace(/^\*?\./, "").replace(/\.$/, "");
  return (host, port) =>
    (only === undefined || Number(only) === port) &&
    (host === suffix || (isIP(host) === 0 && host.endsWith(`.${suffix}`)));
}

/** @param tls - Options of TLS for an https: URL. */
export function endpointOf(url: URL, tls: ConnectionOptions): Endpoint {
  const isSecure = url.protocol === "https:";
  const port = Number(url.port || (isSecure ? 443 : 80));
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port, tls: isSecure ? tls : undefined };
}
