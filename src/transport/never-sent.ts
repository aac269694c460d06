import { causesOf, runtimeCodeOf } from "./summarize.ts";

/**
 * Codes of Node and Bun (up to 1.3 with different names) for a connection that was not made, so that nothing was sent.
 */
const neverConnected =
  /^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|ERR_PROXY_TUNNEL|ERR_PROXY_AUTHENTICATION|EAI_AGAIN|EAI_FAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_.*|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_SSL_WRONG_VERSION_NUMBER)$/;

/** Codes that mean the same if `connect` failed: a read on an open connection fails with them, too. */
const neverConnectedIn: ReadonlySet<string> = new Set(["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"]);

/**
 * Returns true only if the runtime says that the request certainly never left this machine: connection refused, name
 * not found, TLS refused. workerd says "Network connection lost." for all of them, which counts as sent.
 */
export function wasNeverSent(error: unknown): boolean {
  for (const link of causesOf(error)) {
    // Node tries all IP addresses of a name; each attempt has its own error.
    if (link instanceof AggregateError && link.errors.length > 0) return link.errors.every(wasNeverSent);
    if (saysNeverSent(link.message)) return true;
    const code = runtimeCodeOf(link);
    // The outermost code decides: the others happened before.
    if (code !== undefined) return neverConnected.test(code) || (neverConnectedIn.has(code) && isConnect(link));
  }
  return false;
}

/**
 * Deno has no codes: `client error (Connect)` covers refusal, names, proxies and TLS. Node has none that is used only for
 * a proxy that opens no tunnel. The others are ports that fetch itself refuses.
 */
function saysNeverSent(message: string): boolean {
  return /client error \(Connect\)|when HTTP Tunneling$|^bad port$|^Fetch failed: Requests to port \d+ are blocked$/.test(
    message,
  );
}

function isConnect(error: Error & { readonly syscall?: unknown }): boolean {
  return error.syscall === "connect";
}

/**
 * Returns whether the runtime denied network access before anything was sent: Node's permission model, or Deno without
 * --allow-net.
 */
export function isNetworkDenied(error: unknown): boolean {
  return causesOf(error).some(saysDenied);
}

function saysDenied(error: Error & { readonly permission?: unknown }): boolean {
  if (runtimeCodeOf(error) === "ERR_ACCESS_DENIED") return error.permission === undefined || error.permission === "Net";
  return /^(NotCapable|PermissionDenied)$/.test(error.name) && /\bnet access\b/i.test(error.message);
}
