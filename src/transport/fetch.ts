import type { RetryClass } from "../operation.ts";
import { causesOf, codeOf } from "./redact.ts";

/** Sends one request, once. */
export type SendOnce = (url: string, init: OneRequest) => Promise<Response>;

/** A request whose body is text. */
type OneRequest = RequestInit & { readonly body: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * The `fetch` of this runtime with its quirks levelled. A `fetch` of the caller's own is used as it is.
 *
 * It is looked up at each call, so that interceptors (msw, tracing) which replace it later are seen.
 */
export function createSendOnce(custom: typeof globalThis.fetch | undefined, retry: RetryClass): SendOnce {
  if (custom !== undefined) return (url, init) => custom(url, init);
  if (retry === "safe") return (url, init) => globalThis.fetch(url, init);
  const { Deno: deno, Bun: bun, navigator } = globalThis as Runtimes;
  if (deno?.createHttpClient !== undefined) {
    denoClient ??= deno.createHttpClient({ poolMaxIdlePerHost: 0, http2: false });
    return (url, init) => globalThis.fetch(url, { ...init, client: denoClient } as RequestInit);
  }
  // Bun up to 1.3.11 re-sends a POST as Deno does (oven-sh/bun#28706); this gives it a connection of its own.
  if (bun !== undefined) return (url, init) => globalThis.fetch(url, { ...init, keepalive: false });
  if (navigator?.userAgent?.startsWith("Node.js/")) return (url, init) => globalThis.fetch(url, unrepeatable(init));
  return (url, init) => globalThis.fetch(url, init);
}

interface Runtimes {
  readonly Deno?: { createHttpClient?(options: { poolMaxIdlePerHost: number; http2: boolean }): unknown };
  readonly Bun?: object;
  /** `process.versions` would not do: workerd shows Node's own. */
  readonly navigator?: { readonly userAgent?: string };
}

/**
 * Deno 2.9 re-sends a POST by itself when a kept-alive connection drops after the request was received: without idle
 * connections there is none to drop (`connection: close` does not help). Over HTTP/2 it also re-sends a stream that was
 * refused. One client for the life of the process, because Deno never collects them.
 */
let denoClient: unknown;

/**
 * Node re-sends a request by itself after HTTP 421, as the Fetch standard has it (HTTP-network-or-cache fetch, step 15),
 * unless its body can be read only once. With the length given, the bytes on the wire stay the same.
 */
function unrepeatable(init: OneRequest): RequestInit {
  const bytes = new TextEncoder().encode(init.body);
  const headers = { ...init.headers, "content-length": String(bytes.byteLength) };
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  return { ...init, headers, body, duplex: "half" } as RequestInit;
}

/**
 * A response whose body ends with the signal while the caller reads it. `fetch` sees to that by itself, but in Deno 2.9 its
 * link from a signal to a body is weak and lost to garbage collection, as it once was in Node (nodejs/undici#3644).
 */
export function endingWith(signal: AbortSignal, response: Response): Response {
  if ((globalThis as Runtimes).Deno === undefined || response.body === null) return response;
  const reader = response.body.getReader();
  // It ends the read that `pull` waits for, and holds nothing that the caller does.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => {}));
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (signal.aborted) controller.error(signal.reason);
        else if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return Object.defineProperty(new Response(body, response), "url", { value: response.url });
}

/** Codes with which Node and Bun (up to 1.3 in its own words) say that no connection came about, so that nothing was sent. */
const neverConnected =
  /^(ECONNREFUSED|ConnectionRefused|FailedToOpenSocket|ENOTFOUND|EAI_AGAIN|EAI_FAIL|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_SSL_WRONG_VERSION_NUMBER)$/;

/**
 * True only where the runtime says that the request certainly never left this machine: refused, name not found, TLS
 * refused. workerd says "Network connection lost." for everything, which counts as sent.
 */
export function wasNeverSent(error: unknown): boolean {
  return causesOf(error).some(saysNeverSent);
}

function saysNeverSent(error: Error): boolean {
  // Node tries every address of a name; each attempt has its own error.
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(wasNeverSent);
  const code = codeOf(error);
  if (code !== undefined && neverConnected.test(code)) return true;
  // Deno gives no codes: `client error (Connect)` covers refusal, names and TLS. Ports that fetch itself refuses are named.
  return /client error \(Connect\)|^bad port$|^Fetch failed: Requests to port \d+ are blocked$/.test(error.message);
}
