import { request } from "node:http";
import { isIP, type Socket, connect as tcp } from "node:net";
import { type ConnectionOptions, connect as tls } from "node:tls";
import type { HttpProxy } from "./proxy.ts";

/** The path to one origin. */
export interface Route {
  readonly host: string;
  readonly port: number;
  /** TLS to the service: its options. */
  readonly tls: ConnectionOptions | undefined;
  readonly proxy: HttpProxy | undefined;
}

/** Receives a connection over which a request may be sent, or the error. */
type Done = (error: Error | null, socket?: Socket) => void;

/**
 * Opens a connection. A request is written only when TLS has been verified, so that whatever fails before then has sent
 * nothing. Returns a function that gives up.
 */
export function openConnection(route: Route, timeout: number | false, sessions: Sessions, done: Done): () => void {
  let current: Socket | undefined;
  let isDone = false;
  const finish: Done = (error, socket) => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    if (error === null) return done(null, socket);
    current?.destroy();
    done(route.proxy !== undefined && route.tls !== undefined ? withoutTunnel(error, route) : error);
  };
  const timer = timeout === false ? undefined : setTimeout(() => finish(timedOut(route, timeout)), timeout);
  const opened = (socket: Socket, event: "connect" | "secureConnect", next: () => void) => {
    current = socket;
    // Kept: no one else handles the errors of a socket below TLS.
    socket.on("error", finish);
    socket.once("close", () => finish(lost()));
    socket.once(event, next);
  };
  const secure = (socket?: Socket) => {
    const own = tls({ ...address(route), ...route.tls, ...sessions.optionsFor(route), ...(socket && { socket }) });
    own.on("session", (session) => sessions.keep(route, session));
    opened(own, "secureConnect", () => finish(null, own));
  };
  const { proxy } = route;
  if (proxy === undefined && route.tls !== undefined) secure();
  else if (proxy === undefined) {
    const plain = tcp(address(route));
    opened(plain, "connect", () => finish(null, plain));
  } else {
    const toProxy = proxy.tls === undefined ? tcp(address(proxy)) : tls({ ...address(proxy), ...proxy.tls });
    opened(toProxy, proxy.tls === undefined ? "connect" : "secureConnect", () => {
      if (route.tls === undefined) finish(null, toProxy);
      else tunnel(toProxy, route, proxy, finish, secure);
    });
  }
  return () => finish(new Error("The connection is not needed any more."));
}

/** Sessions of TLS, which spare the second connection to an origin most of the handshake. */
export class Sessions {
  readonly #byRoute = new WeakMap<Route, Buffer>();

  keep(route: Route, session: Buffer): void {
    this.#byRoute.set(route, session);
  }

  /** Each session is used once: a server may not accept it again (RFC 8446, C.4). */
  optionsFor(route: Route): { readonly session?: Buffer } {
    const session = this.#byRoute.get(route);
    this.#byRoute.delete(route);
    return session === undefined ? {} : { session };
  }
}

/** Asks the proxy for a connection to the service (RFC 9110, 9.3.6). */
function tunnel(socket: Socket, route: Route, proxy: HttpProxy, failed: Done, next: (socket: Socket) => void): void {
  const { host, port } = route;
  const { authorization } = proxy;
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const connect = request({
    method: "CONNECT",
    path: authority,
    headers: { host: authority, ...(authorization !== undefined && { "proxy-authorization": authorization }) },
    createConnection: () => socket,
  });
  connect.on("connect", ({ statusCode = 0 }, _socket, head: Buffer) => {
    if (statusCode < 200 || statusCode > 299) return failed(refused(authority, statusCode));
    if (head.length > 0) socket.unshift(head);
    next(socket);
  });
  connect.on("error", (error) => failed(error));
  connect.end();
}

function address({ host, port }: { readonly host: string; readonly port: number }) {
  // A name of a certificate, not an IP address, may be asked for (RFC 6066, 3).
  return { host, port, ...(isIP(host) === 0 && { servername: host }) };
}

function timedOut({ host, port }: Route, timeout: number): Error {
  return withCode(new Error(`No connection to ${host}:${port} within ${timeout} ms.`), "ETIMEDOUT", "connect");
}

/** The proxy's own body is not shown: it may be a page, and may name the user of the proxy. */
function refused(authority: string, status: number): Error {
  const error = new Error(`The proxy refused the connection to ${authority} with HTTP ${status}.`);
  return withCode(error, status === 407 ? "ERR_PROXY_AUTHENTICATION" : "ERR_PROXY_TUNNEL", "connect");
}

/** A connection that broke gets a code which says that no request was written: no other error of a tunnel needs one. */
function withoutTunnel(error: NodeJS.ErrnoException, { host, port }: Route): Error {
  if (!/^(ECONNRESET|EPIPE|HPE_\w+)$/.test(error.code ?? "")) return error;
  const broken = new Error(`The connection to ${host}:${port} through the proxy broke before it could be used.`, {
    cause: error,
  });
  return withCode(broken, "ERR_PROXY_TUNNEL", "connect");
}

function lost(): Error {
  return withCode(new Error("The connection closed before it could be used."), "ECONNRESET", "connect");
}

function withCode(error: Error, code: string, syscall: string): Error {
  return Object.assign(error, { code, syscall });
}
