import { ConfigurationError } from "../errors/request.ts";
import type { RetryClass } from "../operation.ts";
import { isObject } from "../shared/json.ts";
import type { CallScope } from "./cancellation.ts";

/**
 * A `fetch` of this library may offer the transport a plainer way, under this key: a response whose bytes the transport
 * reads without a `ReadableStream`. Making a `Response` costs more than all else that is done with a small one.
 */
export const directFetch: unique symbol = Symbol.for("serviceapi.directFetch");

/**
 * Sends one request, and resolves with a response that is not a `Response` yet.
 *
 * @param mayReuse - Whether a connection that was used before will do. A request that must be sent once gets its own.
 */
export type DirectFetch = (url: string, init: DirectRequest, mayReuse: boolean) => Promise<DirectResponse>;

/** The key under which an error of such a `fetch` says whether the request may have left this machine. */
export const wasSent: unique symbol = Symbol.for("serviceapi.wasSent");

export interface DirectRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null;
  /** Called at once when the signal is aborted before any of the request was written. */
  readonly onNotSent?: (() => void) | undefined;
}

/** The parts of a response that the transport reads before its body. */
export interface ResponseHead {
  readonly status: number;
  readonly type: ResponseType;
  readonly redirected: boolean;
  readonly url: string;
  readonly headers: Headers;
}

/** A response that becomes a `Response` when somebody asks for one. */
export interface DirectResponse extends ResponseHead {
  readonly body: DirectBody | null;
  /** Returns the same `Response` each time. Its body is unread if this body is. */
  toResponse(): Response;
}

export interface DirectBody {
  /**
   * Passes on each chunk, decompressed, until `onChunk` returns false, which ends the connection.
   * Rejects if the body breaks off, or the request's signal is aborted.
   */
  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void>;
  /** Ends the connection. */
  cancel(): Promise<void>;
}

/** A response as `fetch` returned it. */
export type AnyResponse = Response | DirectResponse;

/** Returns the `Response` that a user gets. */
export function toResponse(response: AnyResponse): Response {
  return "toResponse" in response ? response.toResponse() : response;
}

/** A response of a `fetch` that is not the runtime's: node-fetch has streams of Node, a mock perhaps only `json()`. */
interface ForeignResponse {
  readonly status?: unknown;
  readonly statusText?: string;
  readonly redirected?: boolean;
  readonly url?: string;
  readonly headers?: HeadersInit | null;
  readonly body?: unknown;
  text?(): unknown;
  json?(): unknown;
}

/**
 * Returns a response whose body the transport can read.
 *
 * @param given - What `fetch` resolved with.
 * @throws ConfigurationError that names what cannot be read.
 */
export function readableResponse(given: AnyResponse): AnyResponse {
  if (!isObject(given)) throw unreadable("a response", given);
  // Its headers are made when somebody reads them.
  if ("toResponse" in given) return given;
  const { body, headers, status } = given;
  if (given.bodyUsed === true || (isObject(body) && body.locked === true))
    throw new ConfigurationError(
      "`fetch` returned a `Response` whose body was read before. Read `response.clone()` to log it, and return a new one for each call.",
    );
  const isOfWeb = body === null ? given instanceof Response : isObject(body) && typeof body.getReader === "function";
  const hasHead = typeof status === "number" && isObject(headers) && typeof headers.append === "function";
  return isOfWeb && hasHead ? given : ofWeb(given);
}

function ofWeb(given: ForeignResponse): Response {
  const { status, statusText = "", redirected = false, url = "", headers } = given;
  if (typeof status !== "number") throw unreadable("a `status`", status);
  const response = makeResponse(streamOf(given), { status, statusText, url, headers: headersOf(headers) });
  return Object.defineProperty(response, "redirected", { value: redirected });
}

/** A mock may have `get` alone, of which no list can be made. */
function headersOf(given: HeadersInit | null | undefined): Headers {
  const isList = !isObject(given) || typeof given.get !== "function" || Symbol.iterator in given;
  return new Headers((isList && given) || undefined);
}

function streamOf(given: ForeignResponse): ReadableStream<Uint8Array> {
  const { body } = given;
  if (body instanceof ReadableStream) return body;
  if (!isIterable(body) && typeof given.text !== "function" && typeof given.json !== "function")
    throw unreadable("a `body` that can be read, `text()` or `json()`", body);
  const chunks = chunksOf(given);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      if (isObject(body) && typeof body.destroy === "function") body.destroy();
      else await chunks.return(undefined);
    },
  });
}

async function* chunksOf(given: ForeignResponse): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const text = async () => (typeof given.text === "function" ? given.text() : JSON.stringify(await given.json?.()));
  const parts = isIterable(given.body) ? given.body : [text()];
  for await (const part of parts) yield part instanceof Uint8Array ? part : encoder.encode(String(part));
}

function isIterable(body: unknown): body is AsyncIterable<unknown> {
  return isObject(body) && Symbol.asyncIterator in body;
}

function unreadable(missing: string, found: unknown): ConfigurationError {
  return new ConfigurationError(
    `\`fetch\` must return ${missing}; it returned ${found === null ? "null" : typeof found}. Return a \`Response\`.`,
  );
}

/**
 * Returns a response whose body the caller reads. The caller's signal ends it, and is released when the body has been
 * read, left or garbage-collected. `fetch` ends a body on an abort, too, but by a link that Deno 2.9 loses to garbage
 * collection, as Node once did (nodejs/undici#3644).
 */
export function callersResponse(response: Response, scope: CallScope): Response {
  scope.stopTimers();
  if (response.body === null) {
    scope.close();
    return response;
  }
  const reader = response.body.getReader();
  const close = () => scope.close();
  reader.closed.then(close, close);
  scope.onCancel(() => leave(reader));
  const body = new ReadableStream(bytesOf(reader, scope.signal), { highWaterMark: 0 });
  if (typeof FinalizationRegistry === "function") {
    dropped ??= new FinalizationRegistry(leave);
    dropped.register(body, reader);
  }
  return makeResponse(body, response);
}

/** It holds the reader of the response, and nothing of the stream that the caller has. */
let dropped: FinalizationRegistry<ReadableStreamDefaultReader> | undefined;

/** Ends a body that nobody reads any more. */
export function leave(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => {});
}

function bytesOf(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): UnderlyingByteSource {
  return {
    type: "bytes",
    async pull(controller) {
      let { value } = await reader.read();
      while (value?.byteLength === 0) ({ value } = await reader.read());
      if (signal.aborted) throw signal.reason;
      if (value !== undefined) {
        // A copy, because the stream takes the memory over, which `fetch` may share with other chunks.
        controller.enqueue(new Uint8Array(value));
        return;
      }
      controller.close();
      // A reader that brought its own buffer waits for it.
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** A request whose body is a string. */
type OneRequest = RequestInit & { readonly body: string; readonly headers?: Readonly<Record<string, string>> };

interface Sending extends Pick<DirectRequest, "onNotSent"> {
  /** The `fetch` that the caller passed. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly retry: RetryClass;
}

/**
 * Sends a request by the `fetch` of this runtime, without its quirks, or by the caller's, which is used unchanged.
 *
 * `globalThis.fetch` is read at each request, so that interceptors (msw, tracing) may replace it later.
 */
export function callFetch(url: string, init: OneRequest, { fetch, retry, onNotSent }: Sending): Promise<AnyResponse> {
  const { [directFetch]: direct } = (fetch ?? {}) as { readonly [directFetch]?: DirectFetch };
  if (direct !== undefined) return direct(url, { ...init, onNotSent }, retry === "safe");
  const isOnce = fetch === undefined && retry !== "safe";
  return (fetch ?? globalThis.fetch)(url, { ...init, ...uncached(), ...(isOnce && sentOnce(init)) });
}

/** Returns the fields that keep this runtime from sending a request a second time, if it needs any. */
function sentOnce(init: OneRequest): RequestInit {
  const { Deno: deno, Bun: bun } = globalThis as Runtimes;
  if (deno !== undefined) {
    denoClient ??= deno.createHttpClient?.({ poolMaxIdlePerHost: 0, http2: false });
    return { client: denoClient } as RequestInit;
  }
  // Bun up to 1.3.11 re-sends a POST as Deno does (oven-sh/bun#28706); this opens a new connection.
  if (bun !== undefined) return { keepalive: false };
  return sendsOnceAnyway() ? {} : unrepeatable(init);
}

/**
 * Returns the field that keeps responses out of caches: Next.js caches those of a POST, and serves them to later calls.
 * workerd refuses the field where its `Request` does not have it, with a compatibility date before 2024-11-11.
 */
function uncached(): { readonly cache?: "no-store" } {
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
  return { headers, body, duplex: "half" } as RequestInit;
}

/**
 * Makes a `Response` of what `fetch` received: the constructor takes no URL, and refuses a status beyond 200 to 599, or a
 * body with one that has none.
 */
export function makeResponse(
  body: BodyInit | null,
  { status, statusText, headers, url }: Pick<Response, "status" | "statusText" | "headers" | "url">,
): Response {
  const isAccepted = status >= 200 && status <= 599 && (body === null || ![204, 205, 304].includes(status));
  const response = new Response(body, { status: isAccepted ? status : 500, statusText, headers });
  const ok = status >= 200 && status <= 299;
  return Object.defineProperties(response, { url: { value: url }, status: { value: status }, ok: { value: ok } });
}
