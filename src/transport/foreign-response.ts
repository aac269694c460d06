import { ConfigurationError } from "../errors/request.ts";
import { isObject } from "../shared/json.ts";
import { makeResponse } from "../shared/make-response.ts";
import type { AnyResponse } from "./direct-response.ts";

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
