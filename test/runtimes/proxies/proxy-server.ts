import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Detour } from "../../hostile/drive.ts";
import type { Scenario } from "../../hostile/scenario.ts";
import { parseRequest, respond } from "../../support/raw-http.ts";

/** A scenario, and what the proxy does with each request: it forwards them by default. */
export interface ProxyScenario extends Scenario {
  readonly onRequest?: (request: ProxyRequest) => void;
}

/** A request of the proxy: `CONNECT`, or one in absolute form that has arrived whole. */
export interface ProxyRequest {
  readonly socket: Socket;
  /** Opens the tunnel, or sends the request to the service. */
  readonly forward: () => void;
}

/** A server behind the proxy, and the call that it is for. */
interface Destination {
  readonly scenario: ProxyScenario;
  readonly clients: Set<Socket>;
  asked: number;
  isFinished: boolean;
}

/** The response that opens a tunnel. */
export const established = "HTTP/1.1 200 Connection established\r\n\r\n";

const user = "partner-7";
const password = "pr0xy-never-printed-pr0xy";
const credentials = Buffer.from(`${user}:${password}`).toString("base64");

/** A proxy on loopback that asks for credentials. It alone knows the host: the ports there are those of the servers. */
export class ProxyServer implements Detour {
  readonly secrets = [password, credentials];
  readonly #host: string;
  readonly #destinations = new Map<string, Destination>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#accept(socket));

  private constructor(host: string) {
    this.#host = host;
  }

  static async start(host: string): Promise<ProxyServer> {
    const proxy = new ProxyServer(host);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** Its URL, with the credentials. */
  get url(): string {
    return `http://${user}:${password}@127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  leadTo(server: string, scenario: Scenario): string {
    const { protocol, port } = new URL(server);
    this.#destinations.set(port, { scenario, clients: new Set(), asked: 0, isFinished: false });
    return `${protocol}//${this.#host}:${port}`;
  }

  finish(server: string): number {
    const destination = this.#destinationOf(new URL(server).port);
    destination.isFinished = true;
    for (const socket of destination.clients) socket.destroy();
    return destination.asked;
  }

  async stop(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #destinationOf(port: string): Destination {
    const destination = this.#destinations.get(port);
    if (destination === undefined) throw new Error(`the proxy was asked for port ${port}, which nobody was led to`);
    return destination;
  }

  #accept(socket: Socket): void {
    this.#keep(socket);
    let received = Buffer.alloc(0);
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const request = parseRequest(received);
      if (request === undefined) return;
      socket.off("data", read);
      const { port } = new URL(request.path.includes("://") ? request.path : `tunnel://${request.path}`);
      const destination = this.#destinationOf(port);
      destination.clients.add(socket);
      socket.on("close", () => destination.clients.delete(socket));
      // It ends the requests for tunnels that Node 22 and 24 go on to make after the call.
      if (destination.isFinished) return respond(socket, 503, "the call has ended");
      destination.asked++;
      if (request.headers["proxy-authorization"] !== `Basic ${credentials}`) return respond(socket, 407, "who?");
      const { onRequest = ({ forward }: ProxyRequest) => forward() } = destination.scenario;
      onRequest({ socket, forward: () => this.#forward(socket, Number(port), received) });
    };
    socket.on("data", read);
  }

  #forward(socket: Socket, port: number, received: Buffer): void {
    const service = this.#keep(connect(port, "127.0.0.1"));
    const isTunnel = received.toString("latin1", 0, 8) === "CONNECT ";
    if (isTunnel) socket.write(established);
    else service.write(received);
    service.pipe(socket).pipe(service);
    service.on("error", () => socket.resetAndDestroy());
    socket.on("close", () => service.destroy());
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // A connection that is reset is one of the things that are tested.
    return socket.on("error", () => {});
  }
}
