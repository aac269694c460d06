import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "../../errors/request.ts";
import { nodeModule } from "../../shared/node-module.ts";
import { plainRefusal } from "../rules/refusal.ts";
import { controlPrefix } from "./control.ts";
import { refuseForeign } from "./control-access.ts";
import { ConnectionDropped, type EmulatedResponse, type Handler, json, pieces } from "./messages.ts";
import type { EmulatorServer, ListenOptions } from "./types.ts";

/** Far more than a request body of the service needs. */
const maxBodyBytes = 4 * 1024 * 1024;

/** The host to listen on. */
export const defaultHost = "127.0.0.1";

/** The response to a failure of the emulator itself. */
const broken = {
  status: 500,
  headers: { "content-type": "application/json" },
  body: '{"status":"FAILED","status_code":"500","message":"The emulator itself failed. Please report it."}',
} satisfies EmulatedResponse;

/**
 * Serves `handle` over HTTP. Each piece of a body is one write, and a dropped connection is a real one.
 *
 * @param onClose - Called when the server stops listening.
 */
export async function listen(
  handle: Handler,
  { port = 0, host = defaultHost, allowedHosts = [] }: Omit<ListenOptions, "console">,
  onClose: () => void = () => {},
): Promise<EmulatorServer> {
  const { http, once } = node();
  const names = [host, ...allowedHosts];
  const server = http.createServer((request, response) => void respond(handle, names, request, response));
  // A connection that the server closes while the client reuses it would be a fault that nobody requested.
  server.keepAliveTimeout = 0;
  server.once("close", onClose);
  server.listen(port, host);
  await once(server, "listening");
  // A string only for a pipe, and null only before the server listens.
  const address = server.address() as AddressInfo;
  const close = () => closeServer(server);
  return {
    url: `http://${reachable(address)}:${address.port}`,
    port: address.port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns a host that reaches the server from this machine, which a wildcard address does not. */
function reachable({ address, family }: AddressInfo): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

async function respond(
  handle: Handler,
  names: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const emulated = await readAndHandle(request, gone.signal, handle, names);
    if (typeof emulated.body === "string") send(response, emulated, emulated.body);
    else await stream(response, emulated, gone.signal);
  } catch (error) {
    // A reset in the middle of a body would discard the bytes already sent, so the connection just ends too early.
    if (gone.signal.aborted || response.headersSent) request.socket.destroy();
    else if (error instanceof ConnectionDropped) request.socket.resetAndDestroy();
    else send(response, broken, broken.body);
  }
}

async function readAndHandle(
  request: IncomingMessage,
  signal: AbortSignal,
  handle: Handler,
  names: readonly string[],
): Promise<EmulatedResponse> {
  // A target such as `//[` is a path for HTTP, but not a URL.
  const path = URL.parse(request.url ?? "/", "http://emulator")?.pathname;
  if (path === undefined) return plainRefusal(400, "Bad request target");
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
    if (size > maxBodyBytes) return plainRefusal(413, "Body too large");
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString("utf8");
  return handle({ method, path, headers, body, signal });
}

function send(response: ServerResponse, { status, headers }: EmulatedResponse, body: string): void {
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
  response.end(body);
}

async function stream(response: ServerResponse, emulated: EmulatedResponse, signal: AbortSignal): Promise<void> {
  const { once, setImmediate } = node();
  response.writeHead(emulated.status, emulated.headers);
  response.flushHeaders();
  for await (const piece of pieces(emulated, signal)) {
    if (!response.write(piece)) await once(response, "drain", { signal });
    // Wait one turn of the event loop, or the kernel would send several pieces as one.
    await setImmediate();
  }
  response.end();
}

/** Closes immediately: waiting for a stalled stream or a kept-alive connection would block a test indefinitely. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * Returns what the server needs of Node. It is requested at run time, so that the emulator can be bundled for browsers
 * and workers, which have `emulator.fetch`.
 */
function node() {
  const http = nodeModule<typeof import("node:http")>("node:http");
  const events = nodeModule<typeof import("node:events")>("node:events");
  const timers = nodeModule<typeof import("node:timers/promises")>("node:timers/promises");
  if (http && events && timers) return { http, once: events.once, setImmediate: timers.setImmediate };
  throw new ConfigurationError(
    "emulator.listen: this runtime has no `node:http`. Pass `emulator.fetch` to the client as `fetch`, or run " +
      "`npx serviceapi emulator` in another process.",
  );
}
