import type { ClientRequest, RequestOptions } from "node:http";
import { isIP, type Socket, connect as tcp } from "node:net";
import { type ConnectionOptions, connect as tls } from "node:tls";
import { type Endpoint, endpointOf, type HttpProxy, type ProxyFor } from "./proxy.ts";

/** Options of a {@link Pool}. */
export interface PoolOptions {
  readonly maxSockets: number;
  readonly keepAlive: boolean;
  readonly idleTimeout: number;
  readonly connectTimeout: number | false;
  readonly tls: ConnectionOptions;
  readonly proxyFor: ProxyFor;
}

interface IdleConnection {
  readonly socket: Socket;
  /** Bytes that it had received at the end of its last response. */
  readonly bytesRead: number;
  /** Resolves a turn after that. */
  readonly rested: Promise<void>;
}

/** Sets what an abort of the request ends from now on. */
export type OnAbort = (end: () => void) => void;

/** Origins that are remembered although they have no connections. */
const maxUnused = 100;

/** Milliseconds by which an idle connection is closed before the server does. */
const margin = 1_000;

/**
 * The connections, by origin. They are our own and not those of an `http.Agent`, which neither counts a connection that
 * is still being opened nor notices bytes that belong to no response.
 */
export class Pool {
  readonly #options: PoolOptions;
  readonly #origins = new Map<string, Origin>();

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  origin(url: URL): Origin {
    const known = this.#origins.get(url.origin);
    if (known !== undefined) return known;
    if (this.#origins.size >= maxUnused) {
      for (const [name, { isUnused }] of this.#origins) if (isUnused) this.#origins.delete(name);
    }
    const origin = new Origin(url, this.#options);
    this.#origins.set(url.origin, origin);
    return origin;
  }

  close(): void {
    for (const origin of this.#origins.values()) origin.close();
  }
}

/** The connections to one origin. A request gets one when it is ready: whatever fails before then has sent nothing. */
export class Origin {
  /** The proxy that reads the requests themselves, as it does without TLS. */
  readonly forwarder: HttpProxy | undefined;
  readonly keepAlive: boolean;
  readonly #endpoint: Endpoint;
  readonly #proxy: HttpProxy | undefined;
  readonly #options: PoolOptions;
  readonly #sockets = new Set<Socket>();
  /** Connections without a request, the one that was used last at the end. */
  #idle: IdleConnection[] = [];
  /** The requests that have a connection, or open one. */
  #active = 0;
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  /** Spares the next connection most of the handshake of TLS. */
  #session: Buffer | undefined;

  constructor(url: URL, options: PoolOptions) {
    this.keepAlive = options.keepAlive;
    this.#endpoint = endpointOf(url, options.tls);
    this.#proxy = options.proxyFor(url);
    this.forwarder = this.#endpoint.tls === undefined ? this.#proxy : undefined;
    this.#options = options;
  }

  get isUnused(): boolean {
    return this.#active === 0 && this.#sockets.size === 0;
  }

  /**
   * Waits for a connection, which has to be released when its request has closed.
   *
   * @param mayReuse - Whether a connection that was used before will do.
   */
  async acquire(mayReuse: boolean, onAbort: OnAbort): Promise<Socket> {
    if (this.#active < this.#options.maxSockets) this.#active++;
    else await this.#turn(onAbort);
    try {
      return (mayReuse ? await this.#reuse() : undefined) ?? (await this.#open(onAbort));
    } catch (error) {
      this.#proceed();
      throw error;
    }
  }

  /**
   * Keeps the connection for the next request, unless it has been closed.
   *
   * @param keepAlive - The header of the response, which may say for how long the server keeps it.
   */
  release(socket: Socket, keepAlive = ""): void {
    const seconds = /\btimeout=(\d{1,6})\b/i.exec(keepAlive)?.[1] ?? Number.POSITIVE_INFINITY;
    const timeout = Math.min(this.#options.idleTimeout, Number(seconds) * 1_000 - margin);
    if (timeout <= 0) socket.destroy();
    if (!socket.destroyed) {
      socket.unref();
      if (socket.timeout !== timeout) socket.setTimeout(timeout);
      const rested = new Promise<void>((resolve) => setImmediate(resolve));
      this.#idle.push({ socket, bytesRead: socket.bytesRead, rested });
    }
    this.#proceed();
  }

  /** Closes all connections, also those that are being opened, and rejects the requests that wait for one. */
  close(): void {
    for (const { reject } of this.#waiting) reject(new Error("nodeFetch was closed."));
    this.#waiting.clear();
    for (const socket of this.#sockets) socket.destroy();
  }

  #turn(onAbort: OnAbort): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.add(turn);
    onAbort(() => {
      if (this.#waiting.delete(turn)) turn.reject(new Error("The request was aborted while it waited."));
    });
    return turn.promise;
  }

  /** Passes the place of a request on to the one that has waited longest. */
  #proceed(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#active--;
      return;
    }
    this.#waiting.delete(next);
    next.resolve();
  }

  /**
   * A connection is used again a turn after its response, unless it has received bytes meanwhile: they may be the rest of
   * a response that is longer than it said, or a second one, and what follows would be taken for the next response.
   */
  async #reuse(): Promise<Socket | undefined> {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return undefined;
      const { socket, bytesRead, rested } = connection;
      await rested;
      if (socket.bytesRead !== bytesRead || socket.readableLength > 0) socket.destroy();
      // The server may have ended it a moment ago.
      if (!socket.destroyed && socket.writable && !socket.readableEnded) return socket.ref();
      socket.destroy();
    }
  }

  async #open(onAbort: OnAbort): Promise<Socket> {
    const { connectTimeout: timeout, maxSockets } = this.#options;
    if (this.#active + this.#idle.length > maxSockets) this.#idle.shift()?.socket.destroy();
    const proxy = this.#proxy;
    const endpoint = this.#endpoint;
    let current: Socket | undefined;
    const connect = (to: Endpoint, options: ConnectionOptions) => {
      current = this.#start(to, options);
      onAbort(() => current?.destroy());
      return ready(current, to);
    };
    const { host, port } = endpoint;
    const late = () => current?.destroy(failure(`No connection to ${host}:${port} within ${timeout} ms.`, "ETIMEDOUT"));
    const timer = timeout === false ? undefined : setTimeout(late, timeout);
    try {
      if (proxy === undefined) return await connect(endpoint, this.#resumption());
      const toProxy = await connect(proxy, {});
      if (endpoint.tls === undefined) return toProxy;
      await tunnel(toProxy, endpoint, proxy);
      return await connect(endpoint, { ...this.#resumption(), socket: toProxy });
    } catch (error) {
      current?.destroy();
      throw proxy !== undefined && endpoint.tls !== undefined ? tunnelError(error, endpoint) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** A session is resumed once: a server may not accept it again (RFC 8446, C.4). */
  #resumption(): ConnectionOptions {
    const session = this.#session;
    this.#session = undefined;
    return session === undefined ? {} : { session };
  }

  #start(to: Endpoint, options: ConnectionOptions): Socket {
    const { host, port } = to;
    // A name of a certificate, not an IP address, may be asked for (RFC 6066, 3).
    const name = isIP(host) === 0 && { servername: host };
    const socket = to.tls === undefined ? tcp({ host, port }) : tls({ host, port, ...name, ...to.tls, ...options });
    const isOf = ({ socket: idle }: IdleConnection) => idle === socket;
    this.#sockets.add(socket);
    socket.on("timeout", () => {
      if (this.#idle.some(isOf)) socket.destroy();
    });
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#idle = this.#idle.filter((connection) => !isOf(connection));
    });
    if (to === this.#endpoint) {
      socket.on("session", (session: Buffer) => {
        this.#session = session;
      });
    }
    return socket;
  }
}

/** Node's own request. An `import` of node:http would load undici too, for the `WebSocket` that it exports. */
export function requestHttp(options: RequestOptions): ClientRequest {
  return process.getBuiltinModule("node:http").request(options);
}

/** Waits until a connection can be used. */
function ready(socket: Socket, to: Endpoint): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Kept: no one else handles the errors of a socket below TLS, or of one that is idle.
    socket.on("error", reject);
    socket.once("close", () => reject(failure("The connection closed before it could be used.", "ECONNRESET")));
    socket.once(to.tls === undefined ? "connect" : "secureConnect", () => resolve(socket));
  });
}

/** Asks the proxy for a connection to the service (RFC 9110, 9.3.6). */
function tunnel(socket: Socket, { host, port }: Endpoint, { authorization }: HttpProxy): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const connect = requestHttp({
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
      createConnection: () => socket,
    });
    connect.on("connect", ({ statusCode = 0 }) => {
      if (statusCode >= 200 && statusCode <= 299) return resolve();
      // The proxy's own body is not shown: it may be a page, and may name the user of the proxy.
      const message = `The proxy opened no connection to ${authority}: its response has HTTP ${statusCode}.`;
      return reject(failure(message, statusCode === 407 ? "ERR_PROXY_AUTHENTICATION" : "ERR_PROXY_TUNNEL"));
    });
    connect.on("error", reject);
    connect.end();
  });
}

/** A connection that broke gets the code of the proxy: it, or the service behind it, ended the connection. */
function tunnelError(error: unknown, { host, port }: Endpoint): unknown {
  if (!/^(ECONNRESET|EPIPE|HPE_\w+)$/.test((error as NodeJS.ErrnoException).code ?? "")) return error;
  const message = `The connection to ${host}:${port} through the proxy broke before it could be used.`;
  return failure(message, "ERR_PROXY_TUNNEL", { cause: error });
}

/** Returns an error as Node makes one for a connection. */
export function failure(message: string, code: string, options?: ErrorOptions): Error {
  return Object.assign(new Error(message, options), { code });
}
