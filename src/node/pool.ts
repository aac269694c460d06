import { Agent, type ClientRequestArgs, type IncomingMessage } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { openConnection, type Route, Sessions } from "./connect.ts";
import { Slots } from "./slots.ts";

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
  readonly maxSockets: number;
  readonly keepAlive: boolean;
  readonly idleTimeout: number;
  readonly connectTimeout: number | false;
}

/**
 * The connections, by route. Node's agent keeps the idle ones, and they do not keep the process alive; a request gets one only
 * when it is ready.
 */
export class Pool extends Agent {
  readonly #maxSockets: number;
  readonly #idleTimeout: number;
  readonly #connectTimeout: number | false;
  readonly #sessions = new Sessions();
  readonly #names = new WeakMap<Route, string>();
  readonly #slots = new WeakMap<Route, Slots>();
  /** Milliseconds that the server of a connection has announced. */
  readonly #announced = new WeakMap<Duplex, number>();
  #routes = 0;

  constructor({ maxSockets, keepAlive, idleTimeout, connectTimeout }: PoolOptions) {
    super({ keepAlive });
    this.#maxSockets = maxSockets;
    this.#idleTimeout = idleTimeout;
    this.#connectTimeout = connectTimeout;
  }

  /** The slots for the requests of a route; undefined if there is no limit. */
  slotsOf(route: Route): Slots | undefined {
    if (this.#maxSockets === Number.POSITIVE_INFINITY) return undefined;
    const slots = this.#slots.get(route) ?? new Slots(this.#maxSockets);
    this.#slots.set(route, slots);
    return slots;
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
    connecting.cancel = openConnection(route, this.#connectTimeout, this.#sessions, (error, socket) => {
      connecting.cancel = undefined;
      // Node reads the second argument only if there is no error.
      done(error, socket as Duplex);
    });
    return undefined;
  }
}
