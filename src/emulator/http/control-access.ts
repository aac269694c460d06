/** A request, as far as its origin is concerned. */
export interface IncomingHead {
  readonly method: string;
  readonly headers: Headers;
  /** The address of this machine at which the connection arrived. */
  readonly localAddress: string | undefined;
}

/**
 * Why a request is refused before its body is read, or undefined if it is accepted. Any web page that the developer visits
 * can send requests to a loopback port, use up scenarios and fill the memory: a request needs a loopback `Origin` or none,
 * and a `Host` that the emulator listens on (against DNS rebinding). A control route also wants a JSON content type, which
 * a page of another origin cannot send without permission, and none is given.
 *
 * @param names - Host names that lead here: that of `--host`, and those of `allowedHosts`.
 * @param isControl - Whether the request is for a control route.
 */
export function refuseForeign(
  { method, headers, localAddress }: IncomingHead,
  names: readonly string[],
  isControl: boolean,
): string | undefined {
  const host = hostOf(`http://${headers.get("host")}`);
  if (host === undefined || !(isLoopback(host) || isOwn(host, localAddress, names))) {
    return "The Host of this request is not one that the emulator listens on. Allow it with --allow-host or `allowedHosts`.";
  }
  const origin = headers.get("origin");
  if (origin !== null && !isLoopback(hostOf(origin) ?? "")) {
    return "A page of another origin must not use the emulator.";
  }
  const site = headers.get("sec-fetch-site");
  if (site !== null && site.toLowerCase() === "cross-site") return "A page of another site must not use the emulator.";
  if (isControl && method === "POST" && !/^application\/json *(?:;|$)/i.test(headers.get("content-type") ?? "")) {
    return "A control route takes content-type: application/json.";
  }
  return undefined;
}

/** `localhost`, its subdomains, 127.0.0.0/8 and `[::1]`. The parser has made every other spelling one of these. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** The address itself, which no page can rebind, or a name that was given. */
function isOwn(host: string, localAddress: string | undefined, names: readonly string[]): boolean {
  const address = localAddress?.replace(/^::ffff:(?=[\d.]+$)/i, "");
  const own = address === undefined ? [] : [hostOf(`http://${address}`), hostOf(`http://[${address}]`)];
  return [...own, ...names.map((name) => hostOf(`http://${name}`))].includes(host);
}

/** The host of a URL in lower case, without a trailing dot. */
function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, "") || undefined;
}
