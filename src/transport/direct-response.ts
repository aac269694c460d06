import { ConfigurationError } from "../errors/request.ts";
import { isObject } from "../shared/json.ts";
import { makeResponse } from "../shared/make-response.ts";

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

/** A request of the transport. */
export interface DirectRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null;
}

/** The headers of a response, as the transport reads them. `Headers` is one. */
export interface ResponseHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
}

/** The parts of a response that the transport reads before its body. */
export interface ResponseHead {
  readonly status: number;
  readonly type: ResponseType;
  readonly redirected: boolean;
  readonly url: string;
  readonly headers: ResponseHeaders;
}

/** A response that becomes a `Response` when somebody asks for one. */
export interface DirectResponse extends ResponseHead {
  readonly body: DirectBody | null;
  /** Returns the same `Response` each time. Its body is unread if this body is. */
  toResponse(): Response;
}

/** The body of a {@link DirectResponse}. */
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
  readonly headers?: HeadersInit;
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
  const { body } = given;
  const isOfWeb = body === null ? given instanceof Response : isObject(body) && typeof body.getReader === "function";
  return isOfWeb || "toResponse" in given ? given : ofWeb(given);
}

function ofWeb(given: ForeignResponse): Response {
  const { status, statusText = "", redirected = false, url = "", headers, body } = given;
  if (typeof status !== "number") throw unreadable("a `status`", status);
  const chunks = chunksOf(sourceOf(given));
  const stream = new ReadableStream<Uint8Array>({
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
  const response = makeResponse(stream, { status, statusText, url, headers: new Headers(headers) });
  return Object.defineProperty(response, "redirected", { value: redirected });
}

function sourceOf(given: ForeignResponse): AsyncIterable<unknown> | (() => unknown) {
  const { body } = given;
  if (isObject(body) && Symbol.asyncIterator in body) return body as object as AsyncIterable<unknown>;
  if (typeof given.text === "function") return () => given.text?.();
  if (typeof given.json === "function") return async () => JSON.stringify(await given.json?.());
  throw unreadable("a `body` that can be read, `text()` or `json()`", body);
}

async function* chunksOf(source: ReturnType<typeof sourceOf>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = typeof source === "function" ? [source()] : source;
  for await (const part of parts) yield part instanceof Uint8Array ? part : encoder.encode(String(part));
}

function unreadable(missing: string, found: unknown): ConfigurationError {
  return new ConfigurationError(
    `\`fetch\` must return ${missing}; it returned ${found === null ? "null" : typeof found}. Return a \`Response\`.`,
  );
}
