import { isLoopback } from "../../shared/loopback.ts";
import { type EmulatedRequest, hasJson } from "./messages.ts";

/**
 * Returns why a request is refused before its body is read, or undefined if it is accepted. Any web page that the
 * developer visits can send requests to a loopback port, use up rules and fill the memory. So a request needs a loopback
 * `Origin` or none, and a `Host` that the emulator listens on (against DNS rebinding). A POST to a control route also
 * needs a JSON content type, which a page of another origin cannot send without permission.
 *
 * @param localAddress - The IP address of this machine at which the connection arrived.
 * @param names - Host names of the emulator: that of `--host`, and those of `allowedHosts`.
 */
export function refuseForeign(
  { method, headers }: Pick<EmulatedRequest, "method" | "headers">,
  localAddress: string | undefined,
  names: readonly string[],
  isControl: boolean,
): string | undefined {
  const host = hostOf(`http://${headers.get("host")}`);
  if (host === undefined || !(isThisMachine(host) || isOwn(host, localAddress, names))) {
    return "The emulator does not listen on the Host of this request. Allow it with --allow-host or `allowedHosts`.";
  }
  const origin = headers.get("origin");
  if (origin !== null && !isThisMachine(hostOf(origin) ?? "")) {
    return "A page of another origin must not use the emulator.";
  }
  const site = headers.get("sec-fetch-site");
  if (site !== null && site.toLowerCase() === "cross-site") return "A page of another site must not use the emulator.";
  if (isControl && method === "POST" && !hasJson({ headers })) {
    return "A control route needs the header `content-type: application/json`.";
  }
  return undefined;
}

/** Returns true for this machine, with the subdomains of `localhost`, which browsers resolve to it. */
export function isThisMachine(host: string): boolean {
  return isLoopback(host) || host.endsWith(".localhost");
}

/** Returns true for the IP address itself, which no page can rebind, or one of the names. */
function isOwn(host: string, localAddress: string | undefined, names: readonly string[]): boolean {
  const address = localAddress?.replace(/^::ffff:(?=[\d.]+$)/i, "");
  const own = address === undefined ? [] : [hostOf(`http://${address}`), hostOf(`http://[${address}]`)];
  return [...own, ...names.map((name) => hostOf(`http://${name}`))].includes(host);
}

export function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, "") || undefined;
}
