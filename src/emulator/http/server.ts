import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { controlPrefix } from "./control.ts";
import type { EmulatedRequest } from "../service/serve.ts";
import type { EmulatorServer, ListenOptions } from "../types.ts";
import { type Answer, ConnectionDropped, json, pieces } from "./response.ts";
import { refuseForeign } from "./control-access.ts";

/** A request body of the service is small; this is far above it. */
const maxBodyBytes = 4 * 1024 * 1024;

/** For what no operation answers with. */
const broken = {
  status: 500,
  headers: { "content-type": "application/json" },
  body: '{"status":"FAILED","status_code":"500","message":"The emulator itself failed: please report it"}',
} satisfies Answer;

/** Serves `handle` over HTTP. Each piece of a body is one write, and a dropped connection is dropped. */
export async function listen(
  handle: (request: EmulatedRequest) => Promise<Answer>,
  { port = 0, host = "127.0.0.1", allowedHosts = [] }: ListenOptions,
): Promise<EmulatorServer> {
  const names = [host, ...allowedHosts];
  const server = createServer((request, response) => void respond(handle, names, request, response));
  // A connection that the server closes while the client reuses it is a fault that nobody asked for.
  server.keepAliveTimeout = 0;
  server.listen(port, host);
  await once(server, "listening");
  // A string only for a pipe, and null only before it listens.
  const address = server.address() as AddressInfo;
  const close = () => closeServer(server);
  return {
    url: `http://${reachable(address)}:${address.port}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The host of a URL that reaches it from this machine: a wildcard address is none. */
function reachable({ address, family }: AddressInfo): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

async function respond(
  handle: (request: EmulatedRequest) => Promise<Answer>,
  names: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const answer = await read(request, gone.signal, handle, names);
    if (typeof answer.body === "string") send(response, answer, answer.body);
    else await stream(response, answer, gone.signal);
  } catch (error) {
    // A reset in the middle of a body would take back what was sent: there, the connection just ends too early.
    if (gone.signal.aborted || response.headersSent) request.socket.destroy();
    else if (error instanceof ConnectionDropped) request.socket.resetAndDestroy();
    else send(response, broken, broken.body);
  }
}

async function read(
  request: IncomingMessage,
  signal: AbortSignal,
  handle: (request: EmulatedRequest) => Promise<Answer>,
  names: readonly string[],
): Promise<Answer> {
  // A target such as `//[` is a path for HTTP, and no URL.
  const path = URL.parse(request.url ?? "/", "http://emulator")?.pathname;
  if (path === undefined) return json(400, { status: "FAILED", status_code: "400", message: "Bad request target" });
  const method = request.method ?? "GET";
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, `${value}`);
  const { localAddress } = request.socket;
  const error = refuseForeign({ method, headers, localAddress }, names, path.includes(controlPrefix));
  if (error !== undefined) return json(403, { error });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return json(413, { status: "FAILED", status_code: "413", message: "Body too large" });
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString("utf8");
  return handle({ method, path, headers, body, signal });
}

function send(response: ServerResponse, { status, headers }: Answer, body: string): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

async function stream(response: ServerResponse, answer: Answer, signal: AbortSignal): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  response.flushHeaders();
  for await (const piece of pieces(answer, signal)) {
    if (!response.write(piece)) await once(response, "drain", { signal });
    // One turn of the loop, or the kernel would send several pieces as one.
    await setImmediate();
  }
  response.end();
}

/** Closes at once: waiting for a stalled stream or a kept-alive connection would hold a test for ever. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
