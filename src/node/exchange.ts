import type { ClientRequest } from "node:http";
import type { Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { type DirectRequest, wasSent } from "../transport/fetch.ts";
import { failure, type OnAbort, type Origin, type Pool, requestHttp } from "./connections.ts";
import { acceptEncoding, NodeResponse } from "./response.ts";

/** A request of the transport, or of any caller. */
export interface Outgoing extends Pick<DirectRequest, "signal" | "onNotSent"> {
  readonly method: string;
  readonly headers: Iterable<readonly [string, string]>;
  /** Bytes in memory are sent with their length, a stream in chunks. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | undefined;
}

/**
 * Writes one request and waits for the headers. node:http sends nothing a second time: a connection that dies rejects,
 * as `fetch` does, its code says why, and `wasSent` whether the request may have left.
 *
 * @param mayReuse - Whether a connection that was used before will do: it may deliver the rest of another response.
 */
export async function exchange(pool: Pool, url: URL, outgoing: Outgoing, mayReuse: boolean): Promise<NodeResponse> {
  const { method, body, signal, onNotSent } = outgoing;
  let isSent = false;
  let end = () => {};
  const abort = () => {
    if (!isSent) onNotSent?.();
    end();
  };
  signal?.addEventListener("abort", abort);
  const forget = () => signal?.removeEventListener("abort", abort);
  const onAbort: OnAbort = (next) => {
    end = next;
    if (signal?.aborted) end();
  };
  try {
    signal?.throwIfAborted();
    const origin = pool.origin(url);
    const socket = await origin.acquire(mayReuse, onAbort);
    const sent = begin(origin, socket, url, outgoing, mayReuse);
    return await new Promise((resolve, reject) => {
      let response: NodeResponse | undefined;
      onAbort(() => {
        response?.body?.abort(signal?.reason);
        sent.destroy();
      });
      sent.on("response", (message) => {
        // It may be the rest of an earlier exchange: no request follows on this connection.
        if (!sent.writableFinished) {
          sent.shouldKeepAlive = false;
          // The server may never read the rest of the request, for which the connection would wait.
          message.once("end", () => sent.destroy());
        }
        response = new NodeResponse(message, method, url.href);
        resolve(response);
      });
      sent.on("error", reject);
      sent.on("close", () => {
        origin.release(socket, response?.header("keep-alive"));
        // After a response that switches protocols, which nobody asked for, there was no error.
        if (response === undefined) reject(failure(closed, "ECONNRESET"));
        // A compressed body may still be read when all of it has been received.
        else if (response.body !== null) response.body.whenRead(forget);
        else forget();
      });
      if (sent.destroyed) return;
      isSent = true;
      // node:http writes a string together with the headers, in one encoding, and theirs is Latin-1.
      if (typeof body === "string") sent.end(Buffer.from(body).toString("latin1"), "latin1");
      else if (!(body instanceof ReadableStream)) sent.end(body);
      // The DOM's type of a stream and Node's are of the same class.
      else pipeline(Readable.fromWeb(body as never), sent, (error) => error && reject(error));
    });
  } catch (cause) {
    forget();
    if (body instanceof ReadableStream) body.cancel().catch(() => {});
    throw signal?.aborted
      ? signal.reason
      : Object.assign(new TypeError("fetch failed", { cause }), { [wasSent]: isSent });
  }
}

/** Prepares the request: nothing of it is written yet. */
function begin(origin: Origin, socket: Socket, url: URL, outgoing: Outgoing, mayReuse: boolean): ClientRequest {
  const { forwarder } = origin;
  const mayKeep = mayReuse && origin.keepAlive;
  const headers = rawHeaders(url, outgoing);
  headers.push("connection", mayKeep ? "keep-alive" : "close");
  if (forwarder?.authorization !== undefined) headers.push("proxy-authorization", forwarder.authorization);
  // The line for a proxy names the whole URL (RFC 9112, 3.2.2).
  const path = forwarder === undefined ? `${url.pathname}${url.search}` : url.href;
  try {
    // It may have closed since; node:http would wait for it.
    if (socket.destroyed) throw failure(closed, "ECONNRESET");
    // Node refuses a method or header that HTTP does not allow, without its value.
    const sent = requestHttp({ method: outgoing.method, path, headers, createConnection: () => socket });
    // Without an agent, Node takes it that no request follows.
    sent.shouldKeepAlive = mayKeep;
    return sent;
  } catch (error) {
    socket.destroy();
    origin.release(socket);
    throw error;
  }
}

const closed = "The connection closed before a response came.";

/** Headers that follow from the body and the connection. */
const ownHeaders: ReadonlySet<string> = new Set(["content-length", "connection", "transfer-encoding"]);

/** The headers of the caller, and those that `fetch` adds. Names and values alternating. */
function rawHeaders({ host }: URL, { method, headers, body }: Outgoing): string[] {
  const raw = ["host", host];
  let accepts = false;
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (ownHeaders.has(key)) continue;
    if (key === "accept-encoding") accepts = true;
    // It stands first, in place of the one of the URL.
    if (key === "host") raw[1] = value;
    else raw.push(name, value);
  }
  if (!accepts) raw.push("accept-encoding", acceptEncoding);
  if (body instanceof ReadableStream) raw.push("transfer-encoding", "chunked");
  else if (body !== undefined || /^(?:POST|PUT|PATCH)$/.test(method))
    raw.push("content-length", String(Buffer.byteLength(body ?? "")));
  return raw;
}
