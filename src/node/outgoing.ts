import { Readable } from "node:stream";
import type { DirectRequest } from "../transport/fetch.ts";
import { acceptEncoding } from "./decode.ts";
import type { Outgoing } from "./exchange.ts";
import type { Target } from "./targets.ts";

/** Headers that follow from the body and the connection. */
const ownHeaders: ReadonlySet<string> = new Set(["content-length", "connection", "transfer-encoding"]);

/** Returns a request of the transport as it is written. */
export function outgoing(target: Target, { method = "GET", headers = {}, body, signal }: DirectRequest): Outgoing {
  const raw = rawHeaders(target, Object.entries(headers));
  raw.push("content-length", String(Buffer.byteLength(body)));
  return { method, headers: raw, body, signal };
}

/** Returns any caller's request in wire form: a body that is in memory with its length, a stream in chunks. */
export async function outgoingOf(
  target: Target,
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  request: Request,
): Promise<Outgoing> {
  const { method, body: stream } = request;
  // The link from this signal to that of a `Request` is weak (nodejs/undici#3644).
  const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined);
  const headers = rawHeaders(target, request.headers);
  if (stream === null) {
    if (/^(?:POST|PUT|PATCH)$/.test(method)) headers.push("content-length", "0");
    return { method, headers, body: undefined, signal };
  }
  if (init?.body === undefined || init.body === null || init.body instanceof ReadableStream) {
    headers.push("transfer-encoding", "chunked");
    // The DOM's type of a stream and Node's are of the same class.
    return { method, headers, body: Readable.fromWeb(stream as never), signal };
  }
  const body = new Uint8Array(await request.arrayBuffer());
  headers.push("content-length", String(body.byteLength));
  return { method, headers, body, signal };
}

/** Names and values alternating: what the caller set, and what `fetch` adds. */
function rawHeaders(target: Target, entries: Iterable<readonly [string, string]>): string[] {
  const raw = [...target.headers];
  let accepts = false;
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (ownHeaders.has(key)) continue;
    if (key === "accept-encoding") accepts = true;
    // It stands first, in place of the one of the URL.
    if (key === "host") raw[1] = value;
    else raw.push(name, value);
  }
  if (!accepts) raw.push("accept-encoding", acceptEncoding);
  return raw;
}
