import { ConfigurationError } from "../errors/request.ts";
import { nodeModule } from "../shared/node-module.ts";
import { milliseconds, type Rules, readOptions } from "../shared/options.ts";
import { type CallbackUrlOptions, type CallbackUrlReport, callbackUrlRules, checkText } from "./check.ts";
import type { CallbackUrlProblem, CallbackUrlProblemCode } from "./problem.ts";

/** What only a connection can show. */
export type LiveProblemCode = CallbackUrlProblemCode | "notReachable" | "badCertificate" | "tlsTooOld" | "redirects";

/** Options of {@link checkCallbackUrlLive}. */
export interface LiveCheckOptions extends CallbackUrlOptions {
  /** Milliseconds for the connection and the response's headers. @default 10_000 */
  readonly timeout?: number | undefined;
}

/**
 * `checkCallbackUrl`, and then one request to the address: it must be reachable, with TLS 1.2 or higher, a valid
 * certificate, and no redirect, which is not followed (§6.6). Needs Node, Deno or Bun.
 *
 * @param url - The address as it would be registered. It gets one HEAD request.
 * @param options - See {@link LiveCheckOptions}.
 * @throws ConfigurationError for an unknown option, a domain that is not one, or on a runtime without node:https.
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
  const offline = checkText(url, given);
  if (!offline.ok) return offline;
  const found = await probe(new URL(url), { timeout: given.timeout ?? 10_000 });
  const unchecked = offline.unchecked.filter((what) => what !== "connection");
  return { ok: found === undefined, problems: found === undefined ? [] : [found], unchecked };
}

const liveRules: Rules<LiveCheckOptions> = { ...callbackUrlRules, timeout: milliseconds(1) };

/** How the probe connects; tests give it an authority of their own. */
export interface ProbeOptions {
  /** Milliseconds. */
  readonly timeout: number;
  readonly ca?: string;
}

/** Asks for the headers of an address, once, and says what is wrong with the way there. */
export function probe(
  url: URL,
  { timeout, ca }: ProbeOptions,
): Promise<CallbackUrlProblem<LiveProblemCode> | undefined> {
  const https = nodeHttps();
  return new Promise((resolve) => {
    const request = https.request(url, { method: "HEAD", minVersion: "TLSv1.2", agent: false, ...(ca && { ca }) });
    const settle = (found: CallbackUrlProblem<LiveProblemCode> | undefined) => {
      clearTimeout(timer);
      request.destroy();
      resolve(found);
    };
    // Not `signal`: an abort says nothing of a request that Node has destroyed already.
    const timer = setTimeout(() => settle(problem("notReachable", `sent no response within ${timeout} ms`)), timeout);
    request.once("response", ({ statusCode = 0 }) => settle(judge(statusCode)));
    // Without a listener, Node destroys a request that was upgraded and emits neither a response nor an error.
    request.once("upgrade", ({ statusCode = 0 }, socket) => {
      socket.destroy();
      settle(judge(statusCode));
    });
    // It stays: destroying the request may emit another error.
    request.on("error", (error: Error & { readonly code?: string }) =>
      settle(explain(error.code ?? "", error.message)),
    );
    request.once("close", () => settle(explain("", "")));
    request.end();
  });
}

function judge(status: number): CallbackUrlProblem<LiveProblemCode> | undefined {
  if (status < 200) return problem("notReachable", `switched to another protocol (${status}) and sent no response`);
  return status >= 300 && status < 400 ? problem("redirects", `answers with the redirect ${status}`) : undefined;
}

function explain(code: string, message: string): CallbackUrlProblem<LiveProblemCode> {
  // Node says EPROTO, with the name of the alert in its message alone.
  if (/protocol version|unsupported protocol|wrong version/i.test(message))
    return problem("tlsTooOld", "does not speak TLS 1.2 or higher");
  if (/CERT|SELF_SIGNED|ALTNAME|LEAF_SIGNATURE|ISSUER/.test(code)) {
    return problem("badCertificate", `has a certificate that is not valid (${code}): ${message}`);
  }
  return problem("notReachable", `cannot be reached${code && ` (${code})`}`);
}

function nodeHttps(): typeof import("node:https") {
  const https = nodeModule<typeof import("node:https")>("node:https");
  if (https === undefined) throw new ConfigurationError("checkCallbackUrlLive needs node:https, which is not here.");
  return https;
}

function problem(code: LiveProblemCode, what: string): CallbackUrlProblem<LiveProblemCode> {
  return { code, message: `The callback URL ${what}.` };
}
