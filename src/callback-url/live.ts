import type { LookupFunction } from "node:net";
import { requireNodeModule } from "../shared/node-module.ts";
import { milliseconds, type Rules, readOptions } from "../shared/options.ts";
import { type CallbackUrlOptions, type CallbackUrlReport, callbackUrlRules, checkOffline } from "./check.ts";
import { type CallbackUrlProblem, type CallbackUrlProblemCode, problem } from "./rules.ts";

/** The codes of {@link checkCallbackUrlLive}: those of `checkCallbackUrl`, and those that need a connection. */
export type LiveProblemCode = CallbackUrlProblemCode | "notReachable" | "badCertificate" | "tlsTooOld" | "redirects";

type LiveProblem = CallbackUrlProblem<LiveProblemCode>;

/** Options of {@link checkCallbackUrlLive}. */
export interface LiveCheckOptions extends CallbackUrlOptions {
  /** Milliseconds until the headers of the response must have arrived. @default 10_000 */
  readonly timeout?: number | undefined;
}

/**
 * Checks a callback URL as `checkCallbackUrl` does, and then sends one HEAD request to it: it must be reachable at a
 * public address, with TLS 1.2 or higher and a valid certificate, and must not redirect; a redirect is not followed
 * (§6.6). Needs Node, Deno or Bun.
 *
 * @param url - The URL to register.
 * @param options - See {@link LiveCheckOptions}.
 * @throws ConfigurationError for an unknown option, an invalid domain, or on a runtime without node:https.
 *
 * @example
 * ```ts
 * import { checkCallbackUrlLive } from "serviceapi/callback-url";
 *
 * const { ok, problems } = await checkCallbackUrlLive("https://pay.example.in/hook", { brandDomain: "example.in" });
 * ```
 */
export async function checkCallbackUrlLive(
  url: string,
  options: LiveCheckOptions,
): Promise<CallbackUrlReport<LiveProblemCode>> {
  const given = readOptions("checkCallbackUrlLive", options, liveRules, ["brandDomain"]);
  const offline = checkOffline(url, given);
  if (!offline.ok) return offline;
  const found = await probe(new URL(url), given.timeout ?? 10_000);
  const unchecked = offline.unchecked.filter((what) => what !== "connection");
  return { ok: found === undefined, problems: found === undefined ? [] : [found], unchecked };
}

const liveRules: Rules<LiveCheckOptions> = { ...callbackUrlRules, timeout: milliseconds(1) };

/**
 * Sends one HEAD request, and returns what is wrong with the connection or the response. `ca` is for tests, whose servers
 * are at a private address, with a certificate that nobody else trusts.
 */
export function probe(url: URL, timeout: number, ca?: string): Promise<LiveProblem | undefined> {
  const https = requireNodeModule<typeof import("node:https")>("node:https", "checkCallbackUrlLive");
  const dns = requireNodeModule<typeof import("node:dns")>("node:dns", "checkCallbackUrlLive");
  // A network of your own, or a VPN, may resolve the host to an address that the service does not see.
  const lookup: LookupFunction = (host, how, found) =>
    dns.lookup(host, how, (error, result, family) => {
      const addresses = [result ?? []].flat().map((one) => (typeof one === "string" ? one : one.address));
      const hidden = addresses.find((address) => ca === undefined && !isPublic(address));
      found(hidden === undefined ? error : Object.assign(new Error(hidden), { code: "notPublic" }), result, family);
    });
  return new Promise((resolve) => {
    // Whatever the environment of this process accepts: the service checks the certificate.
    const tls = { minVersion: "TLSv1.2", rejectUnauthorized: true, ...(ca && { ca }) } as const;
    const request = https.request(url, { method: "HEAD", agent: false, lookup, ...tls });
    const settle = (found: LiveProblem | undefined) => {
      clearTimeout(timer);
      request.destroy();
      resolve(found);
    };
    // Not `signal`: aborting a request that Node has already destroyed emits nothing.
    const timer = setTimeout(
      () => settle(problem("notReachable", `sent no response within ${timeout} ms${reach}`)),
      timeout,
    );
    request.once("response", ({ statusCode = 0 }) => settle(checkStatus(statusCode)));
    // Without a listener, Node destroys a request that was upgraded and emits neither a response nor an error.
    request.once("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      settle(checkStatus(statusCode));
    });
    // Not `once`: destroying the request may emit another error.
    request.on("error", (error: Error & { readonly code?: string }) =>
      settle(explain(error.code ?? "", error.message)),
    );
    request.once("close", () => settle(explain("", "")));
    request.end();
  });
}

/** IPv4 without the special networks of IANA's registry and multicast. */
const publicV4 =
  /^(?!(?:0|10|127|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.(?:0\.[02]|88\.99|168)|198\.(?:1[89]|51\.100)|203\.0\.113|22[4-9]|2[3-5]\d)\.)\d+(?:\.\d+){3}$/;
/** 2000::/3 without 2001::/23, documentation and 6to4. */
const publicV6 = /^\[(?!2001:(?:[01]?[\da-f]{0,2}|db8):|2002:|3fff:[\da-f]{0,3}:)[23][\da-f]{3}:/;

/** Returns whether everybody can reach an IP address. */
export function isPublic(address: string): boolean {
  // `URL` has one spelling for each.
  const { hostname = "" } = URL.parse(`http://${address.includes(":") ? `[${address}]` : address}`) ?? {};
  // With NAT64, an IPv4 address is in the last 32 bits (RFC 6052).
  const [, ...embedded] = /^\[64:ff9b::(\w+):(\w+)\]$/.exec(hostname) ?? [];
  if (embedded.length > 0) return isPublic(`0x${embedded.map((part) => part.padStart(4, "0")).join("")}`);
  return publicV4.test(hostname) || publicV6.test(hostname);
}

const reach = ": check that a server runs there, and that firewalls let everybody in";

function checkStatus(status: number): LiveProblem | undefined {
  if (status < 200) return problem("notReachable", `switched to another protocol (${status}) and sent no response`);
  return /^30[12378]$/.test(String(status))
    ? problem("redirects", `must not redirect, but responded with ${status}: register the URL that it leads to`)
    : undefined;
}

function explain(code: string, message: string): LiveProblem {
  if (code === "notPublic")
    return problem(code, `has a host that DNS resolves to ${message}, which is not a public address: publish another`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return problem("notReachable", "has a host that DNS does not resolve: check its name and its records");
  // The code is EPROTO; only the message has the name of the TLS alert.
  if (/wrong version|packet length too long/i.test(message))
    return problem("notReachable", "does not speak TLS on its port: serve https there");
  if (/protocol version|unsupported protocol/i.test(message))
    return problem("tlsTooOld", "must support TLS 1.2 or higher: enable it in the server or load balancer");
  if (/\balert\b|_ALERT_/.test(code + message))
    return problem(
      "notReachable",
      `ended the TLS handshake (${code}): it must ask for no client certificate, and allow usual ciphers`,
    );
  if (/CERT|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE|ISSUER/.test(code)) {
    return problem(
      "badCertificate",
      `has a certificate that is not valid (${code}): ${message}. Install one of a public authority for this host, with its chain`,
    );
  }
  return problem("notReachable", `cannot be reached${code && ` (${code})`}${reach}`);
}
