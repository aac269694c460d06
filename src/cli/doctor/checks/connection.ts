import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { hostOf } from "../../../node/proxy.ts";
import { type Check, failed, notChecked, ok, warning } from "./check.ts";

/** The steps to a connection, in order: each needs those before it. */
const steps: readonly (readonly [name: string, run: (url: URL, limit: number) => Promise<Check>])[] = [
  ["name (DNS)", resolveName],
  ["connection (TCP)", reachPort],
  ["certificate (TLS)", checkCertificate],
];

/**
 * Checks name, port and certificate of the service, one after the other.
 *
 * @param isProxied - Whether a proxy does these steps.
 * @param limit - Milliseconds for each step.
 */
export async function checkConnection(url: URL, isProxied: boolean, limit: number): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [name, run] of steps) {
    const before = checks.find(({ state }) => state === "failed");
    if (isProxied) checks.push(notChecked(name, "the proxy does this"));
    else if (before !== undefined) checks.push(notChecked(name, `${before.name} failed`));
    else checks.push(await run(url, limit));
  }
  return checks;
}

async function resolveName(url: URL, limit: number): Promise<Check> {
  const name = "name (DNS)";
  const host = hostOf(url);
  if (isIP(host) !== 0) return notChecked(name, "the base URL has an IP address for its host");
  const advice = "Check the host in the base URL, and the DNS servers of this machine.";
  const late = new Promise<"late">((resolve) => setTimeout(resolve, limit, "late").unref());
  try {
    const found = await Promise.race([lookup(host, { all: true }), late]);
    if (found === "late") return failed(name, `no response from DNS within ${limit} ms`, advice);
    const families = [...new Set(found.map(({ family }) => `IPv${family}`))].sort().join(" and ");
    return ok(name, `resolves to ${found.length} IP address${found.length === 1 ? "" : "es"} (${families})`);
  } catch (error) {
    return failed(name, `does not resolve (${codeOf(error)})`, advice);
  }
}

async function reachPort(url: URL, limit: number): Promise<Check> {
  const name = "connection (TCP)";
  const socket = connectTcp({ host: hostOf(url), port: portOf(url) });
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(limit) });
    return ok(name, `port ${portOf(url)} is open`);
  } catch (error) {
    const advice = "Check host and port of the base URL, the firewall, and whether this network needs a proxy.";
    return failed(name, `port ${portOf(url)} cannot be reached (${codeOf(error)})`, advice);
  } finally {
    socket.destroy();
  }
}

async function checkCertificate(url: URL, limit: number): Promise<Check> {
  const name = "certificate (TLS)";
  if (url.protocol === "http:") {
    return notChecked(name, "the base URL is http: the client secret is sent in clear, which is for tests only");
  }
  const host = hostOf(url);
  // Refused below: a connection that is refused here would not show the certificate.
  const options = { host, port: portOf(url), rejectUnauthorized: false };
  const socket = connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(limit) });
    return judgeCertificate(name, socket, Date.now());
  } catch (error) {
    const advice = "The service must speak TLS 1.2 or later at this port: check the port, and what intercepts TLS.";
    return failed(name, `the handshake failed (${codeOf(error)})`, advice);
  } finally {
    socket.destroy();
  }
}

/** Below this a renewal is due: automatic ones come 30 days before the end. */
const fewDays = 14;

function judgeCertificate(name: string, socket: TLSSocket, now: number): Check {
  const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - now) / 86_400_000);
  const left = days < 0 ? `expired ${-days} days ago` : `valid for ${days} more days`;
  if (!socket.authorized) {
    const reason = String(codeOf(socket.authorizationError));
    return failed(name, `refused (${reason}); ${left}`, adviceOn(reason));
  }
  const detail = `${socket.getProtocol()}, ${left}`;
  if (days >= fewDays) return ok(name, detail);
  return warning(name, detail, "Ask the operator of the service whether its renewal is on the way.");
}

function adviceOn(reason: string): string {
  if (/EXPIRED/.test(reason))
    return "Check the clock of this machine; otherwise the operator of the service must renew it.";
  if (/ALTNAME/.test(reason)) return "It is for another host: check the host in the base URL.";
  return "For a private authority, or a proxy that intercepts TLS, set NODE_EXTRA_CA_CERTS to the file of its certificate.";
}

function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === "https:" ? 443 : 80);
}

/** Returns the code of a failure; a deadline has none. */
function codeOf(error: unknown): string {
  const { code, name, message } = Object(error);
  if (name === "AbortError" || name === "TimeoutError") return "no response in time";
  return typeof code === "string" ? code : typeof error === "string" ? error : String(message);
}
