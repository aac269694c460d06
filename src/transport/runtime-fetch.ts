import type { RetryClass } from "../operation.ts";
import { type AnyResponse, type DirectFetch, directFetch } from "./direct-response.ts";

/** Sends one request, once. */
export type SendOnce = (url: string, init: OneRequest) => Promise<AnyResponse>;

/** A request whose body is a string. */
type OneRequest = RequestInit & { readonly body: string; readonly headers?: Readonly<Record<string, string>> };

/**
 * Returns the `fetch` of this runtime, without its quirks. A `fetch` that the caller passes is used unchanged.
 *
 * `globalThis.fetch` is read at each call, so that interceptors (msw, tracing) may replace it later.
 */
export function createSendOnce(custom: typeof globalThis.fetch | undefined, retry: RetryClass): SendOnce {
  if (custom !== undefined) {
    const { [directFetch]: direct } = custom as { readonly [directFetch]?: DirectFetch };
    const mayReuse = retry === "safe";
    return direct ? (url, init) => direct(url, init, mayReuse) : (url, init) => custom(url, init);
  }
  if (retry === "safe") return (url, init) => globalThis.fetch(url, init);
  const { Deno: deno, Bun: bun } = globalThis as Runtimes;
  if (deno !== undefined) {
    if (deno.createHttpClient === undefined) return (url, init) => globalThis.fetch(url, init);
    denoClient ??= deno.createHttpClient({ poolMaxIdlePerHost: 0, http2: false });
    return (url, init) => globalThis.fetch(url, { ...init, client: denoClient } as RequestInit);
  }
  // Bun up to 1.3.11 re-sends a POST as Deno does (oven-sh/bun#28706); this opens a new connection.
  if (bun !== undefined) return (url, init) => globalThis.fetch(url, { ...init, keepalive: false });
  if (sendsOnceAnyway()) return (url, init) => globalThis.fetch(url, init);
  return (url, init) => globalThis.fetch(url, unrepeatable(init));
}

/**
 * Returns the field that keeps responses out of caches: Next.js caches those of a POST, and serves them to later calls.
 * workerd refuses the field where its `Request` does not have it, with a compatibility date before 2024-11-11.
 */
export function uncached(): { readonly cache?: "no-store" } {
  return typeof Request === "function" && "cache" in Request.prototype ? { cache: "no-store" } : {};
}

interface Runtimes {
  readonly Deno?: { createHttpClient?(options: { poolMaxIdlePerHost: number; http2: boolean }): unknown };
  readonly Bun?: object;
  readonly WebSocketPair?: unknown;
  readonly document?: unknown;
  readonly WorkerGlobalScope?: unknown;
  readonly process?: { readonly release?: { readonly name?: string } };
}

/**
 * Whether this is workerd or a browser, which do not re-send a POST and do not all accept a stream as its body. All
 * others get the body that cannot be re-sent, also Node, however it was started and whatever `navigator` says there.
 */
function sendsOnceAnyway(): boolean {
  const { WebSocketPair, document, WorkerGlobalScope, process } = globalThis as Runtimes;
  // workerd has Node's `process`, and jsdom has the `document` of a browser with the `fetch` of Node.
  if (WebSocketPair !== undefined) return true;
  return process?.release?.name !== "node" && (document !== undefined || WorkerGlobalScope !== undefined);
}

/**
 * Deno 2.9 re-sends a POST when a kept-alive connection drops after the request was received: without idle connections
 * there is none to drop (`connection: close` does not help). Over HTTP/2 it also re-sends a stream that was refused.
 * There is one client for the life of the process, because Deno does not collect them.
 */
let denoClient: unknown;

/**
 * Node re-sends a request after HTTP 421, as the Fetch standard requires (HTTP-network-or-cache fetch, step 15), unless
 * its body can be read only once. With `content-length` set, the bytes on the wire stay the same.
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
