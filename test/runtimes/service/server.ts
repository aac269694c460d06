import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { parseRequest, type RawRequest } from "../../support/raw-http.ts";
import { type Behaviour, behaviours } from "./behaviours.ts";

/** One request as received. */
export interface Received extends RawRequest {
  /** Which connection carried it, counted from 1. */
  readonly connection: number;
}

/**
 * A service of raw sockets, so that it can do to a connection what an HTTP server will not: reset it, close it in
 * silence, cut a response, drip it, and count what really arrives.
 *
 * A request's path says what is to happen and to which scenario it belongs:
 * `/<scenario>/<behaviour>/<path of the operation>`. `/control/received/<scenario>` and `/control/closed/<scenario>`
 * respond once a request of that scenario has arrived, and once all its connections are closed.
 */
export class RawService {
  readonly #server: Server;
  readonly #received = new Map<string, Received[]>();
  readonly #sockets = new Map<Socket, { readonly id: number; readonly scenarios: Set<string> }>();
  #watchers: { readonly isTrue: () => boolean; readonly tell: () => void }[] = [];
  #connections = 0;
  /** URL that `redirect` behaviours point to. */
  elsewhere = "";

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens on a free port of the loopback interface. */
  static async start(tls?: TlsOptions): Promise<RawService> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const service = new RawService(server);
    server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => service.#serve(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return service;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the service does not listen");
    return address.port;
  }

  /** Everything of a scenario that has arrived, in order. */
  received(scenario: string): readonly Received[] {
    return this.#received.get(scenario) ?? [];
  }

  /** Number of requests that have arrived, in all scenarios. */
  get count(): number {
    return [...this.#received.values()].reduce((sum, requests) => sum + requests.length, 0);
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets.keys()) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    const connection = { id: ++this.#connections, scenarios: new Set<string>() };
    this.#sockets.set(socket, connection);
    let buffered = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk]);
      for (let request = parseRequest(buffered); request !== undefined; request = parseRequest(buffered)) {
        buffered = buffered.subarray(request.length);
        this.#take(socket, { ...request, connection: connection.id });
      }
    });
    // A client that resets the connection is one of the things that are tested.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#look();
    });
  }

  #take(socket: Socket, request: Received): void {
    const [, scenario = "", behaviour = "", ...rest] = request.path.split("/");
    if (scenario === "control") {
      this.#control(socket, behaviour, rest.join("/"));
      return;
    }
    const requests = this.#received.get(scenario) ?? [];
    requests.push(request);
    this.#received.set(scenario, requests);
    this.#sockets.get(socket)?.scenarios.add(scenario);
    const [name = "", argument = ""] = behaviour.split(":");
    const behave: Behaviour | undefined = behaviours[name];
    if (behave === undefined) throw new Error(`no behaviour is called "${behaviour}": ${JSON.stringify(request)}`);
    behave({ socket, nth: requests.length, path: rest.join("/"), elsewhere: this.elsewhere, argument });
    this.#look();
  }

  #control(socket: Socket, question: string, scenario: string): void {
    const isTrue = {
      received: () => this.received(scenario).length > 0,
      closed: () => ![...this.#sockets.values()].some(({ scenarios }) => scenarios.has(scenario)),
    }[question];
    if (isTrue === undefined) throw new Error(`no question is called "${question}"`);
    this.#watchers.push({
      isTrue,
      tell: () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
    });
    this.#look();
  }

  #look(): void {
    const due = this.#watchers.filter(({ isTrue }) => isTrue());
    this.#watchers = this.#watchers.filter((watcher) => !due.includes(watcher));
    for (const { tell } of due) tell();
  }
}
