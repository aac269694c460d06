import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A request as it arrived, with its whole body. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, as they were on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
  readonly socket: Socket;
}

/** A listening server that records its requests and closes after the test. */
export interface TestServer {
  readonly url: string;
  readonly port: number;
  readonly requests: Received[];
  readonly sockets: ReadonlySet<Socket>;
  /** Resolves once this number of requests have arrived whole. */
  received(count: number): Promise<void>;
  /** Resolves once no connection is open. */
  idle(): Promise<void>;
  /** Closes it before the test ends. */
  close(): Promise<void>;
}

/** Responds to one request; `n` counts from 1. */
export type Answer = (response: ServerResponse, request: Received, n: number) => void;

/** Starts a real HTTP server on loopback. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const requests: Received[] = [];
  const changes = new Changes();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return; // The client left.
    }
    const received = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      rawHeaders: request.rawHeaders,
      body: Buffer.concat(chunks).toString("utf8"),
      socket: request.socket,
    };
    requests.push(received);
    changes.tell();
    answer(response, received, requests.length);
  });
  return {
    requests,
    ...(await listenOnLoopback(server, changes)),
    received: (count) => changes.until(() => requests.length >= count),
  };
}

/** Starts a real HTTP server on loopback for a listener that reads its requests itself. */
export async function listen(listener: RequestListener): Promise<Omit<TestServer, "requests" | "received">> {
  return listenOnLoopback(createServer(listener), new Changes());
}

/**
 * Starts a server of bare bytes, for responses that no HTTP server would send. `answer` is called for each connection.
 */
export async function startTcpServer(
  answer: (socket: Socket, n: number) => void,
): Promise<Omit<TestServer, "requests" | "received">> {
  let n = 0;
  return listenOnLoopback(
    createTcpServer((socket) => answer(socket, ++n)),
    new Changes(),
  );
}

async function listenOnLoopback(server: Server, changes: Changes) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      changes.tell();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    sockets,
    idle: () => changes.until(() => sockets.size === 0),
    close,
  };
}

/** Lets a test wait for a state instead of a time. */
class Changes {
  readonly #listeners = new Set<() => void>();

  tell(): void {
    for (const listener of this.#listeners) listener();
  }

  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listener = () => {
        if (!holds()) return;
        this.#listeners.delete(listener);
        resolve();
      };
      this.#listeners.add(listener);
      listener();
    });
  }
}

/** Responds with JSON, or with a string as it is. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Responds to every request like this. */
export const answers =
  (status: number, body: unknown, headers?: Record<string, string>): Answer =>
  (response) =>
    reply(response, status, body, headers);

/** Responds to the first request like the first of these, and so on; like the last one from then on. */
export const inTurn =
  (...list: readonly [Answer, ...Answer[]]): Answer =>
  (response, request, n) =>
    (list[n - 1] ?? list.at(-1))?.(response, request, n);

/** Responds with a success that has nothing else in it. */
export const succeeds: Answer = answers(200, { status: "SUCCESS" });

/** Never responds. */
export const stalls: Answer = () => {};

/** Cuts the connection with a TCP reset. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** Begins a response of JSON, and ends it before it is whole: by a TCP reset, or as it says. */
export const breaksOff =
  (text: string, end: (response: ServerResponse) => void = reset): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write(text, () => end(response));
  };

/** Responds with headers, and then with a byte every few milliseconds until the connection closes. */
export const drips: Answer = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
};

/** A URL at which nothing listens. A port that was free a moment ago is the next that the system gives away. */
export const deadAddress = "http://127.0.0.1:2";

/** Returns a free port of the loopback interface. */
export async function findPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
