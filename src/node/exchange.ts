import { type ClientRequest, request } from "node:http";
import type { Readable } from "node:stream";
import type { Pool } from "./pool.ts";
import { NodeResponse } from "./response.ts";
import type { RouteSlots } from "./slots.ts";
import type { Target } from "./targets.ts";

/** A request as it is written. */
export interface Outgoing {
  readonly method: string;
  /** Names and values alternating, with `host` and, for a body of known length, `content-length`. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | Readable | undefined;
  readonly signal: AbortSignal | null | undefined;
}

/**
 * Writes one request and waits for the headers. node:http sends nothing a second time: a connection that dies rejects,
 * as `fetch` does, and its code says why.
 */
export async function exchange(
  { pool, slots }: Connections,
  target: Target,
  outgoing: Outgoing,
): Promise<NodeResponse> {
  // Not a second connection for the request after a response.
  if (pool.isResting(target.route)) await new Promise((resolve) => setImmediate(resolve));
  const route = slots?.of(target.route);
  if (route === undefined) return send(pool, target, outgoing);
  await route.take(outgoing.signal);
  // Once the pool has taken the connection back, so that the next request gets it.
  return send(pool, target, outgoing, () => process.nextTick(() => setImmediate(route.release)));
}

/** The connections over which a request may be sent, and the limit that they share with others. */
export interface Connections {
  readonly pool: Pool;
  readonly slots: RouteSlots | undefined;
}

function send(pool: Pool, target: Target, outgoing: Outgoing, onClose?: () => void): Promise<NodeResponse> {
  const { method, headers, body, signal } = outgoing;
  const { route, path } = target;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      onClose?.();
      return reject(signal.reason);
    }
    const connecting: { cancel?: () => void } = {};
    const sent = begin({ agent: pool, method, path, headers, route, connecting }, onClose);
    let response: NodeResponse | undefined;
    let isConnected = false;
    sent.on("socket", () => {
      isConnected = true;
    });
    const abort = () => {
      reject(signal?.reason);
      response?.abort(signal?.reason);
      sent.destroy();
      connecting.cancel?.();
    };
    sent.on("response", (message) => {
      // It may be the rest of an earlier exchange: no request follows on this connection.
      if (!sent.writableFinished) sent.shouldKeepAlive = false;
      response = new NodeResponse(message, method, target.href);
      pool.learn(message, response.headers.get("keep-alive"));
      resolve(response);
    });
    sent.on("error", (error) => reject(failed(isConnected ? lost(error) : error)));
    sent.on("close", () => {
      const forget = () => signal?.removeEventListener("abort", abort);
      // A compressed body may still be read when all of it has been received.
      if (response === undefined) forget();
      else response.whenRead(forget);
      onClose?.();
      // After a response that switches protocols, which nobody asked for, there is no error.
      if (response === undefined) reject(failed(closed()));
    });
    signal?.addEventListener("abort", abort);
    write(sent, body);
  });
}

/** Node refuses a method or header that HTTP does not allow, without its value. */
function begin(options: object, onClose: (() => void) | undefined): ClientRequest {
  try {
    return request(options);
  } catch (error) {
    onClose?.();
    throw failed(error);
  }
}

function write(sent: ClientRequest, body: Outgoing["body"]): void {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return void sent.end(body);
  body.on("error", (error) => sent.destroy(error));
  sent.on("close", () => body.destroy());
  body.pipe(sent);
}

/** The error that `fetch` throws here. */
function failed(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

/**
 * Returns the error of a connection that had been opened: the request may have been written. The code of TLS is left
 * out, because before the handshake the same code proves that nothing was sent.
 */
function lost(error: NodeJS.ErrnoException): Error {
  const { code = "" } = error;
  if (/^(ECONNRESET|EPIPE|ETIMEDOUT|HPE_\w+)$/.test(code)) return error;
  return Object.assign(new Error("The connection broke after it had been opened."), { code: "ECONNRESET" });
}

function closed(): Error {
  return Object.assign(new Error("The connection closed before a response came."), { code: "ECONNRESET" });
}
