import type { Outcome, ServiceApiError } from "../../errors/base.ts";
import { AbortError, ConnectionError, type Deadline, type Phase, TimeoutError } from "../../errors/request.ts";
import type { PartialStream } from "../../errors/stream.ts";
import type { Cancellation } from "../cancellation.ts";
import { wasSent } from "../fetch.ts";
import { causesOf, redact, runtimeCodeOf, summarize } from "../redact.ts";
import type { CallContext } from "../request.ts";
import { adviseBy, detailsOf } from "./details.ts";

/** Returns the error for a `fetch` that rejected: there was no connection, or it broke before the headers. */
export function connectionError(call: CallContext & { readonly url: string }, error: unknown): ServiceApiError {
  const { operation, secrets, url } = call;
  const { digest } = Object(error) as { readonly digest?: unknown };
  const { host } = new URL(url);
  const isDenied = isNetworkDenied(error);
  // Next.js says so in place of sending the request.
  const isStatic = digest === "DYNAMIC_SERVER_USAGE";
  const isBroken = !isDenied && !isStatic && !wasNeverSent(error);
  const { advice, isFinal } = adviceFor(error);
  // Neither a permission nor a certificate changes in between: the same call would fail again.
  const mayPass = isBroken || !(isDenied || isStatic || isFinal);
  const failure = mayPass ? (isBroken ? "lost" : "notSent") : undefined;
  const details = detailsOf(call, isBroken ? "unknown" : "notSent", failure);
  const code = redact(firstCode(error), secrets);
  const earlier = earlierAttempts[details.outcome];
  const problem = () => {
    if (isDenied) {
      return `the runtime denied network access; ${earlier}. Allow network access to ${host} (Deno: --allow-net=${host}; Node: --allow-net).`;
    }
    if (isStatic) {
      return `Next.js renders this route at build time, where it makes no call that must not be cached; ${earlier}. Let this error through, and Next.js renders the route for each request; or export \`dynamic = "force-dynamic"\` from it.`;
    }
    if (isBroken) {
      // Every code is of the network; without one, all that is known is who threw.
      const isThrown = call.options.fetch !== undefined && code === undefined;
      const how = isThrown ? "your `fetch` threw (see `cause`)" : "the connection broke";
      const known = advice === elsewhere.advice ? "" : `${advice} `;
      return `${how} before a response came. ${known}${adviseBy("unknown", operation)}`;
    }
    return `no connection to ${host} could be made; ${earlier}. ${advice}`;
  };
  const connection = new ConnectionError({
    ...details,
    message: `${operation.name}: ${problem()}`,
    code,
    cause: summarize(error, secrets),
  });
  // Next.js knows its own errors by it, and would otherwise fail the build of a page that it can render later.
  if (typeof digest === "string") Object.defineProperty(connection, "digest", { value: redact(digest, secrets) });
  return connection;
}

/** Advice by the code of the runtime; the first row that applies. `isFinal`: the next attempt would fail as well. */
const byCode: readonly { readonly code: RegExp; readonly advice: string; readonly isFinal: boolean }[] = [
  {
    code: /^ERR_PROXY_AUTHENTICATION$/,
    advice: "The proxy asks for other credentials: check the user name and password in its URL.",
    isFinal: true,
  },
  { code: /^ERR_PROXY/, advice: "The proxy opened no connection: check its URL, and what it allows.", isFinal: false },
  { code: /^BAD_PORT$/, advice: "`fetch` refuses this port: use another one in `baseUrl`.", isFinal: true },
  {
    code: /^NO_TLS$/,
    advice: "The other end does not speak TLS: check the scheme and the port of `baseUrl`.",
    isFinal: false,
  },
  {
    code: /^ERR_SSL_(?!.*INTERNAL).*(?:ALERT|_NAME)/,
    advice: "The other end refused TLS: check `tls` of `nodeFetch` (`cert`, `servername`).",
    isFinal: true,
  },
  {
    code: /CERT|^UNABLE_TO_/,
    advice:
      "The certificate was refused: check its name and date; for a private authority set NODE_EXTRA_CA_CERTS, or `tls.ca` of `nodeFetch`.",
    isFinal: true,
  },
];

const elsewhere = { advice: "Check `baseUrl`, the network, and the proxy if there is one.", isFinal: false };

function adviceFor(error: unknown): Omit<(typeof byCode)[number], "code"> {
  const said = causesOf(error).map(({ message }) => message);
  const runtimeCode =
    codeByMessage.find(([message]) => said.some((text) => message.test(text)))?.[1] ?? firstCode(error);
  return byCode.find(({ code }) => code.test(runtimeCode ?? "")) ?? elsewhere;
}

/** The messages of runtimes whose own code, if there is one, says less. */
const codeByMessage: readonly (readonly [message: RegExp, code: string])[] = [
  [/invalid peer certificate/, "CERT"],
  [/:tls_validate_record_header:wrong version|TLS handshake failed|type InvalidContentType$/, "NO_TLS"],
  [/^Proxy response \(407|tunnel: 407|proxy auth/, "ERR_PROXY_AUTHENTICATION"],
  [/when HTTP Tunneling$|unsuccessful tunnel/, "ERR_PROXY"],
  [/^bad port$/, "BAD_PORT"],
];

const earlierAttempts: Record<Outcome, string> = {
  notSent: "nothing was sent",
  rejected: "earlier attempts were refused",
  unknown: "an earlier attempt may have been carried out",
};

function firstCode(error: unknown): string | undefined {
  return causesOf(error)
    .map(runtimeCodeOf)
    .find((code) => code !== undefined);
}

const waits: Record<Phase, string> = {
  credentials: "waiting for the credentials",
  headers: "waiting for the response",
  body: "reading the response",
  backoff: "waiting to retry",
};

const optionOf: Record<Deadline, string> = { attempt: "timeout", total: "totalTimeout", stream: "stream.timeout" };

/** The content that a stream has received before it begins. */
const nothing: PartialStream = { partialText: "", contextToken: undefined, events: 0 };

/** Returns the error for a call that its caller or a deadline cancelled. */
export function timeoutOrAbortError(
  call: CallContext & { readonly isStream?: boolean },
  cancellation: Cancellation,
): ServiceApiError {
  const { operation, progress } = call;
  const { phase } = progress;
  // The failure after which it was to be retried, whose outcome this is.
  const cause = phase === "backoff" ? progress.retry?.error : undefined;
  const outcome = progress.inFlight ? "unknown" : "notSent";
  if (cancellation.by === "caller") {
    return new AbortError({
      ...detailsOf(call, outcome),
      ...(call.isStream && nothing),
      message: `${operation.name}: aborted by the caller ${phase === "credentials" ? "before it was sent" : `while ${waits[phase]}`}.`,
      phase,
      reason: cancellation.reason,
      cause,
    });
  }
  const { deadline, timeout } = cancellation;
  const details = detailsOf(call, outcome, deadline === "attempt" ? "lost" : undefined);
  return new TimeoutError({
    ...details,
    message: `${operation.name}: ${missed(call, `within ${timeout} ms (\`${optionOf[deadline]}\`)`)}. ${adviseBy(details.outcome, operation)}`,
    deadline,
    phase,
    timeout,
    cause,
  });
}

/** The functions that supply the credentials are called before anything is sent: the service is not to blame. */
function missed({ progress, options }: Pick<CallContext, "progress" | "options">, within: string): string {
  const functions = (["clientId", "clientSecret"] as const).filter((name) => typeof options[name] === "function");
  return progress.phase === "credentials" && functions.length > 0
    ? `the function passed as ${functions.map((name) => `\`${name}\``).join(" or ")} did not return ${within}`
    : `no response ${within}, ${waits[progress.phase]}`;
}

/**
 * Codes of Node and Bun for a connection that was not made, so that nothing was sent.
 * Those of OpenSSL (`ERR_SSL_…`) are not among them: most of them may end a connection at any time.
 */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|ERR_PROXY_TUNNEL|ERR_PROXY_AUTHENTICATION|EAI_AGAIN|EAI_FAIL|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_.*|ERR_TLS_CERT_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/;

/**
 * Returns true only if the runtime says that the request certainly never left this machine: connection refused, name
 * not found, TLS refused. workerd says "Network connection lost." for all of them, which counts as sent.
 */
export function wasNeverSent(error: unknown): boolean {
  for (const link of causesOf(error)) {
    // A `fetch` of this library knows.
    if (wasSent in link) return link[wasSent] === false;
    // Node tries all IP addresses of a name; each attempt has its own error.
    if (link instanceof AggregateError && link.errors.length > 0) return link.errors.every(wasNeverSent);
    if (neverSent.test(link.message)) return true;
    const code = runtimeCodeOf(link);
    // The outermost code decides: the others happened before.
    if (code !== undefined) return neverConnected.test(code) || Object(link).syscall === "connect";
  }
  return false;
}

/**
 * Deno has no codes: `client error (Connect)` covers refusal, names, proxies and TLS. Node has none that is used only for
 * a proxy that opens no tunnel, a connection that ends before TLS is established, and a server that does not speak TLS:
 * OpenSSL (from 3.2) has this function for the first record alone. The others are ports that fetch itself refuses.
 */
const neverSent =
  /client error \(Connect\)|when HTTP Tunneling$|^Client network socket disconnected before secure TLS connection was established$|:tls_validate_record_header:wrong version|^bad port$|^Fetch failed: Requests to port \d+ are blocked$/;

/**
 * Returns whether the runtime denied network access before anything was sent: Node's permission model, or Deno without
 * --allow-net.
 */
export function isNetworkDenied(error: unknown): boolean {
  return causesOf(error).some((link: Error & { readonly permission?: unknown }) => {
    if (runtimeCodeOf(link) === "ERR_ACCESS_DENIED") return (link.permission ?? "Net") === "Net";
    return /^(NotCapable|PermissionDenied)$/.test(link.name) && /\bnet access\b/i.test(link.message);
  });
}
