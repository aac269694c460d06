import { once } from "node:events";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import { ConfigurationError } from "../../../errors/request.ts";
import { nodeFetch } from "../../../node/node-fetch.ts";
import { chooseProxy, endpointOf } from "../../../node/proxy.ts";
import type { ClientOptions } from "../../../options.ts";
import { checkBaseUrl } from "../../../transport/endpoint.ts";
import { type Check, failed, notChecked, ok, warning } from "../report.ts";
import { baseUrlOf } from "./settings.ts";

const names = {
  proxy: "proxy",
  dns: "name (DNS)",
  tcp: "connection (TCP)",
  tls: "certificate (TLS)",
  response: "response (HTTP)",
  clock: "clock",
} as const;

const defaultLimit = 10_000;

/** Checks the way to the service, step by step, without a call of it: each step needs those before it. */
export async function checkWay(options: ClientOptions): Promise<readonly Check[]> {
  let url: URL;
  try {
    url = new URL(checkBaseUrl(baseUrlOf(options), options));
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return Object.values(names).map((name) => notChecked(name, "the base URL is missing or malformed"));
  }
  const checks: Check[] = [];
  for (const step of [checkProxy, checkConnection, checkResponse]) {
    checks.push(...(await step(url, options.timeout || defaultLimit)));
    const failure = checks.find(({ state }) => state === "failed");
    if (failure === undefined) continue;
    const left = Object.values(names).slice(checks.length);
    return [...checks, ...left.map((name) => notChecked(name, `${failure.name} failed`))];
  }
  return checks;
}

const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"];

function checkProxy(url: URL): readonly Check[] {
  const listSet = (variables: readonly string[]) => variables.filter((name) => process.env[name]?.trim()).join(", ");
  const named = listSet(proxyVariables);
  try {
    if (!isProxied(url)) {
      const excepted = listSet(["no_proxy", "NO_PROXY"]) || "scheme";
      return [ok(names.proxy, named ? `${named} is not for this host (${excepted})` : "none in the environment")];
    }
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return [failed(names.proxy, error.message.replace(/^nodeFetch: |\.$/g, ""), "Correct or unset it.")];
  }
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = "" } = process.env;
  if (NODE_USE_ENV_PROXY === "1" || NODE_OPTIONS.includes("--use-env-proxy")) {
    return [ok(names.proxy, `from ${named}, also for the fetch of Node (NODE_USE_ENV_PROXY)`)];
  }
  const problem = `from ${named}: the checks below go through it, but the fetch of Node ignores it`;
  const advice = "Pass `fetch: nodeFetch()` of serviceapi/node to the client, or set NODE_USE_ENV_PROXY=1 (Node 24).";
  return [warning(names.proxy, problem, advice)];
}

function isProxied(url: URL): boolean {
  return chooseProxy(undefined, process.env)(url) !== undefined;
}

/** Connects once: the events of the socket say how far it came. Nothing is checked behind a step that failed. */
async function checkConnection(url: URL, limit: number): Promise<readonly Check[]> {
  if (isProxied(url)) {
    return [names.dns, names.tcp, names.tls].map((name) => notChecked(name, "the proxy does this"));
  }
  const { host, port, tls } = endpointOf(url, {});
  const isAddress = isIP(host) !== 0;
  // An authority that is not trusted is refused below: a connection that is refused here would not show the certificate.
  const socket =
    tls === undefined
      ? connectTcp({ host, port })
      : connectTls({ host, port, rejectUnauthorized: false, ...(!isAddress && { servername: host }) });
  const families = new Set<string>();
  let isOpen = false;
  socket.on("lookup", (error, _, family) => error ?? families.add(`IPv${family}`));
  socket.once("connect", () => {
    isOpen = true;
  });
  const ready = once(socket, tls ? "secureConnect" : "connect", { signal: AbortSignal.timeout(limit) });
  const problem = await ready.then(() => undefined, reasonOf);
  const certificate = problem === undefined && socket instanceof TLSSocket ? judgeCertificate(socket) : undefined;
  socket.destroy();
  if (!isAddress && families.size === 0) {
    const advice = "Check the host in the base URL, and the DNS servers of this machine.";
    return [failed(names.dns, `does not resolve (${problem})`, advice)];
  }
  const dns = isAddress
    ? notChecked(names.dns, "the base URL has an IP address for its host")
    : ok(names.dns, `resolves (${[...families].sort().join(" and ")})`);
  if (!isOpen) {
    const advice = "Check host and port of the base URL, the firewall, and whether this network needs a proxy.";
    return [dns, failed(names.tcp, `port ${port} cannot be reached (${problem})`, advice)];
  }
  const tcp = ok(names.tcp, `port ${port} is open`);
  if (problem !== undefined) {
    const advice = "The service must speak TLS 1.2 or later at this port: check the port, and what intercepts TLS.";
    return [dns, tcp, failed(names.tls, `the handshake failed (${problem})`, advice)];
  }
  const clear = "the base URL is http: the client secret is sent in clear, which is for tests only";
  return [dns, tcp, certificate ?? notChecked(names.tls, clear)];
}

/** Below this a renewal is due: automatic ones come 30 days before the end. */
const fewDays = 14;

function judgeCertificate(socket: TLSSocket): Check {
  const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / 86_400_000);
  const left = days < 0 ? `expired ${-days} days ago` : `valid for ${days} more days`;
  if (!socket.authorized) {
    const reason = reasonOf(socket.authorizationError);
    const [, advice = authorityAdvice] = certificateAdvice.find(([pattern]) => pattern.test(reason)) ?? [];
    return failed(names.tls, `refused (${reason}); ${left}`, advice);
  }
  const detail = `${socket.getProtocol()}, ${left}`;
  if (days >= fewDays) return ok(names.tls, detail);
  return warning(names.tls, detail, "Ask the operator of the service whether its renewal is on the way.");
}

const certificateAdvice = [
  [/EXPIRED/, "Check the clock of this machine; otherwise the operator of the service must renew it."],
  [/ALTNAME/, "It is for another host: check the host in the base URL."],
] as const;

const authorityAdvice =
  "For a private authority, or a proxy that intercepts TLS, set NODE_EXTRA_CA_CERTS to the file of its certificate.";

/** Returns the code of a failure; a deadline has none. */
function reasonOf(error: unknown): string {
  const { code, name, message, cause } = Object(error);
  if (name === "AbortError" || name === "TimeoutError") return "no response in time";
  return [code, Object(cause).code, error].find((each) => typeof each === "string") ?? String(message);
}

/**
 * Sends one GET request without credentials to the base URL, and checks that any response comes, and the clock of this
 * machine by its `Date`.
 */
async function checkResponse(url: URL, limit: number): Promise<readonly Check[]> {
  const send = nodeFetch({ keepAlive: false });
  try {
    const sentAt = Date.now();
    const response = await send(url, { redirect: "manual", signal: AbortSignal.timeout(limit) });
    const heardAt = Date.now();
    await response.body?.cancel();
    const detail = `HTTP ${response.status} after ${heardAt - sentAt} ms, to a GET without credentials`;
    const [, judgement = ok, advice] = statuses.find(([pattern]) => pattern.test(`${response.status}`)) ?? [];
    return [judgement(names.response, detail, advice), judgeClock(response, (sentAt + heardAt) / 2)];
  } catch (error) {
    const advice = "Check the base URL, and what stands between: a proxy, a firewall, a gateway.";
    return [
      failed(names.response, `none came (${reasonOf(error)})`, advice),
      notChecked(names.clock, "no response came, and so no time"),
    ];
  } finally {
    send.close();
  }
}

/** The statuses of a response that are not well, and advice. */
const statuses = [
  [/407/, failed, "The proxy asks for credentials: put them into its URL."],
  [/^[5-9]/, warning, "Something responds, but not well: ask the operator, or try later."],
  [/^3/, warning, "It redirects, and calls are never redirected: check the base URL."],
] as const;

/** The tolerance of signed webhooks is 300 s (docs/assumptions.md, W4): a clock must stay well below. */
const [slightly, far] = [60, 300];

function judgeClock(response: Response, here: number): Check {
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return notChecked(names.clock, "the response has no Date", "Compare the clock with a phone.");
  // A cache says how old its response is. The header has whole seconds: half of one is the best estimate.
  const age = Number(response.headers.get("age") ?? 0) || 0;
  const ahead = Math.round((here - (date + age * 1_000 + 500)) / 1_000);
  const seconds = Math.abs(ahead);
  if (seconds <= slightly) return ok(names.clock, `agrees with the clock of the service, to ${Math.max(1, seconds)} s`);
  const detail = `${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the clock of the service`;
  const advice = "Turn on the synchronization of the clock (NTP): deadlines and signed webhooks depend on it.";
  return seconds <= far ? warning(names.clock, detail, advice) : failed(names.clock, detail, advice);
}
