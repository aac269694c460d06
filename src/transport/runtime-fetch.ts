import type { RetryClass } from "../operation.ts";

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
  const { Deno: deno, Bun: bun } = globalThis as Runtimes;
  if (deno !== undefined) {
    if (deno.createHttpClient === undefined) return (url, init) => globalThis.fetch(url, init);
    denoClient ??= deno.createHttpClient({ poolMaxIdlePerHost: 0, http2: false });
    return (url, init) => globalThis.fetch(url, { ...init, client: denoClient } as RequestInit);
  }
  // Bun up to 1.3.11 re-sends a POST as Deno does (oven-sh/bun#28706); this gives it a connection of its own.
  if (bun !== undefined) return (url, init) => globalThis.fetch(url, { ...init, keepalive: false });
  if (sendsOnceAnyway()) return (url, init) => globalThis.fetch(url, init);
  return (url, init) => globalThis.fetch(url, unrepeatable(init));
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
 * The runtimes that neither repeat a POST nor take a stream as its body everywhere: workerd and browsers. All others get
 * the body that cannot be repeated, Node among them, however it was started and whatever `navigator` says there.
 */
function sendsOnceAnyway(): boolean {
  const { WebSocketPair, document, WorkerGlobalScope, process } = globalThis as Runtimes;
  // workerd shows Node's `process`, and jsdom the `document` of a browser with the `fetch` of Node.
  if (WebSocketPair !== undefined) return true;
  return process?.release?.name !== "node" && (document !== undefined || WorkerGlobalScope !== undefined);
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
