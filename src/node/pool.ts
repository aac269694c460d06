import { Agent, type ClientRequestArgs, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { openConnection, type Route, Sessions } from "./connect.ts";

/** Fields that Node's agent passes on from a request to the pool. */
export interface PooledRequest extends ClientRequestArgs {
  readonly route: Route;
  /** Filled while a connection is being opened for this request: gives it up. */
  readonly connecting: { cancel?: (() => void) | undefined };
}

/** Milliseconds by which a connection is closed before the server does. */
const margin = 1_000;

/** Limits of a {@link Pool}. */
export interface PoolOptions {
  readonly keepAlive: boolean;
  readonly idleTimeout: number;
  readonly connectTimeout: number | false;
}

/**
 * The connections, by route. Node's agent keeps the idle ones, and they do not keep the process alive; a request gets
 * one only when it is ready.
 */
export class Pool extends Agent {
  readonly #idleTimeout: number;
  readonly #connectTimeout: number | false;
  readonly #sessions = new Sessions();
  readonly #names = new WeakMap<Route, string>();
  /** The number of connections, by route, that are not used again yet. */
  readonly #resting = new Map<Route, number>();
  /** The functions that give up connections that are being opened. */
  readonly #opening = new Set<() => void>();
  /** Milliseconds that the server of a connection has announced. */
  readonly #announced = new WeakMap<Duplex, number>();
  #routes = 0;

  constructor({ keepAlive, idleTimeout, connectTimeout }: PoolOptions) {
    super({ keepAlive });
    this.#idleTimeout = idleTimeout;
    this.#connectTimeout = connectTimeout;
  }

  override getName(options?: ClientRequestArgs): string {
    const { route } = options as PooledRequest;
    const name = this.#names.get(route) ?? String(++this.#routes);
    this.#names.set(route, name);
    return name;
  }

  /** Remembers for how long the server keeps the connection of a response open. */
  learn({ socket }: IncomingMessage, keepAlive: string | null): void {
    const seconds = keepAlive === null ? undefined : /\btimeout=(\d{1,6})\b/i.exec(keepAlive)?.[1];
    if (seconds !== undefined) this.#announced.set(socket, Number(seconds) * 1_000);
  }

  /**
   * A connection is used again a turn after its response. Bytes that come meanwhile belong to no request: they may be
   * the rest of a response that is longer than it said, or a second one, and would be taken for the response of the
   * next request.
   */
  override emit(event: string, ...args: unknown[]): boolean {
    const [socket, options] = args;
    if (event !== "free" || !(socket instanceof Socket)) return super.emit(event, ...args);
    const { route } = options as PooledRequest;
    this.#rest(route, 1);
    const received = socket.bytesRead;
    let isSilent = true;
    const listen = () => {
      isSilent = false;
    };
    socket.on("data", listen);
    setImmediate(() => {
      socket.off("data", listen);
      this.#rest(route, -1);
      if (isSilent && socket.bytesRead === received && socket.readableLength === 0) super.emit(event, ...args);
      else socket.destroy();
    });
    return true;
  }

  /** Returns whether a connection of the route will be free within a turn. */
  isResting(route: Route): boolean {
    return this.#resting.has(route);
  }

  #rest(route: Route, change: 1 | -1): void {
    const count = (this.#resting.get(route) ?? 0) + change;
    if (count === 0) this.#resting.delete(route);
    else this.#resting.set(route, count);
  }

  /** Closes all connections, also those that are being opened. */
  override destroy(): void {
    for (const cancel of this.#opening) cancel();
    super.destroy();
  }

  /** In place of Node's own, which reads all headers of the response for it, and sets the probes of TCP. */
  override keepSocketAlive(socket: Duplex): boolean {
    const idle = Math.min(this.#idleTimeout, (this.#announced.get(socket) ?? Number.POSITIVE_INFINITY) - margin);
    if (!(socket instanceof Socket) || idle <= 0) return false;
    socket.unref();
    if (socket.timeout !== idle) socket.setTimeout(idle);
    return true;
  }

  override createConnection(options: ClientRequestArgs, done: (error: Error | null, socket: Duplex) => void) {
    const { route, connecting } = options as PooledRequest;
    const cancel = openConnection(route, this.#connectTimeout, this.#sessions, (error, socket) => {
      connecting.cancel = undefined;
      this.#opening.delete(cancel);
      // Node reads the second argument only if there is no error.
      done(error, socket as Duplex);
    });
    connecting.cancel = cancel;
    this.#opening.add(cancel);
    return undefined;
  }
}
