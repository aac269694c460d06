import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import type { Certificates } from "../../support/certificates.ts";
import { parseRequest } from "../../support/raw-http.ts";
import type { GoodResponse, Scenario } from "../scenario.ts";

/** The facts that a server needs to play a scenario. */
export interface Setting {
  readonly good: GoodResponse;
  readonly certificates: Certificates;
  /** URL of a server that must not receive anything. */
  readonly elsewhere: string;
}

/** The server of one call: it plays a scenario on a separate port, and counts. */
export class JobServer {
  readonly #scenario: Scenario;
  readonly #setting: Setting;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #received = 0;

  private constructor(scenario: Scenario, setting: Setting) {
    this.#scenario = scenario;
    this.#setting = setting;
    this.#server = this.#create();
    this.#server.on("connection", (socket: Socket) => {
      this.#sockets.add(socket);
      // A client that resets the connection is one of the things that are tested.
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#server.emit("disconnected");
      });
    });
    this.#server.on("tlsClientError", () => {});
  }

  /** Listens on a free port of the loopback interface. */
  static async start(scenario: Scenario, setting: Setting): Promise<JobServer> {
    const server = new JobServer(scenario, setting);
    await server.#listen();
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the server does not listen");
    return `${this.#scenario.certificate === undefined ? "http" : "https"}://127.0.0.1:${address.port}`;
  }

  /** Number of requests of which at least one byte arrived. */
  get received(): number {
    return this.#received;
  }

  /** Resolves with true once no connection is open that was used; with false if one is left open. */
  async isDisconnected(ms: number): Promise<boolean> {
    const signal = AbortSignal.timeout(ms);
    while ([...this.#sockets].some(({ bytesRead }) => bytesRead > 0)) {
      const hasChanged = await once(this.#server, "disconnected", { signal }).catch(() => false);
      if (hasChanged === false) return false;
    }
    return true;
  }

  async stop(): Promise<void> {
    const closed = this.#server.listening && once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #listen(): Promise<void> {
    this.#server.listen(quietPort(this.#scenario.isClosed), "127.0.0.1");
    await once(this.#server, "listening").catch(() => this.#listen());
  }

  #create(): Server {
    const { certificate, accept, answer2 } = this.#scenario;
    const { good, certificates } = this.#setting;
    if (accept !== undefined) return createServer((socket) => this.#watch(socket, () => accept(socket, good)));
    if (certificate === undefined) return createServer((socket) => this.#serve(socket));
    const tls: TlsOptions = certificates[certificate];
    if (answer2 === undefined) return createTlsServer(tls, (socket) => this.#serve(socket));
    const server = createSecureServer({ ...tls, allowHTTP1: false });
    server.on("sessionError", () => {});
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      answer2(stream, good, ++this.#received);
    });
    return server;
  }

  /** Counts a connection with its first byte, which in a handshake is none of a request. */
  #watch(socket: Socket, accept: () => void): void {
    if (this.#scenario.certificate === undefined) socket.once("data", () => this.#received++);
    accept();
  }

  #serve(socket: Socket): void {
    let buffered = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk: Buffer) => {
      if (buffered.length === 0) this.#received++;
      buffered = Buffer.concat([buffered, chunk]);
      const request = parseRequest(buffered);
      if (request === undefined) return;
      // No runtime sends a second request before the response to the first.
      buffered = buffered.subarray(request.length);
      const { good, elsewhere } = this.#setting;
      this.#scenario.answer?.({ socket, request, nth: this.#received, good, elsewhere });
    });
  }
}

/**
 * A port that systems do not hand out: a client of another test's server, which has stopped, does not come here. Those to
 * be closed are not among those of servers that listen.
 */
function quietPort(isClosed = false): number {
  return (isClosed ? 20_000 : 22_000) + Math.floor(Math.random() * (isClosed ? 2_000 : 10_000));
}
