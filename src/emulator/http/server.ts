import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigurationError } from "../../errors/request.ts";
import type { AsyncDisposableIfKnown } from "../../shared/compiler-types.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import { nodeModule } from "../../shared/node-module.ts";
import { boolean, group, integer, listOf, nonEmptyString, type Rules, readOptions } from "../../shared/options.ts";
import { refusalBody } from "../rules/refusal.ts";
import { refuseForeign } from "./control-access.ts";
import { ConnectionDropped, controlPrefix, type EmulatedResponse, type Handler, json } from "./messages.ts";
import { unlessAborted } from "./wait.ts";

/** Options of {@link Emulator.listen}. */
export interface ListenOptions {
  /** The port; `0` picks a free port. @default 0 */
  readonly port?: number | undefined;
  /** The host name or IP address to listen on. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /**
   * Further host names under which requests are accepted, such as the name of a Compose service when `host` is
   * `0.0.0.0`. Loopback names, `host` itself and the IP addresses that requests arrive at are always allowed.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Serves the console at `/`: a page that shows the requests as they arrive, and controls the emulator. It opens only
   * in a browser that uses a loopback name, such as `http://127.0.0.1:4010/`. `true` needs a loopback `host`.
   *
   * @default false
   */
  readonly console?: boolean | ConsoleOptions | undefined;
}

/** Options of the console. */
export interface ConsoleOptions {
  /**
   * Serves the console on a `host` that is not loopback too, as in a container whose port is published on your machine.
   * Personal data then stays masked. @default false
   */
  readonly allowNonLoopbackHost?: boolean | undefined;
}

/** A listening emulator. */
export interface EmulatorServer extends AsyncDisposableIfKnown {
  /** Its URL: use it as `baseUrl`. */
  readonly url: string;
  /** The port that it listens on. */
  readonly port: number;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
}

const consoleRules: Rules<ConsoleOptions> = { allowNonLoopbackHost: boolean };
export const listenRules: Rules<ListenOptions> = {
  port: integer(0, 65_535),
  host: nonEmptyString,
  allowedHosts: listOf(nonEmptyString, 0),
  console: (value, name) => (typeof value === "object" ? group(consoleRules)(value, name) : boolean(value, name)),
};

/** Checks the options, with whether there is a console, and on a loopback host. */
export function readListenOptions(given: ListenOptions) {
  const { console = false, host = "127.0.0.1", ...where } = readOptions("emulator.listen", given, listenRules);
  const isLoopback = isLoopbackHost(host);
  const allowed = typeof console === "object" && readOptions("console", console, consoleRules).allowNonLoopbackHost;
  if (console === false || allowed || isLoopback) return { ...where, host, isLoopback, hasConsole: console !== false };
  throw new ConfigurationError(
    "emulator.listen: the console needs a loopback `host`. To serve it on another, pass " +
      "`console: { allowNonLoopbackHost: true }`.",
  );
}

/** Far more than a request body of the service needs. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Serves `handle` over HTTP. Each piece of a body is one write, and a dropped connection is a real one. */
export async function listen(
  handle: Handler,
  { port = 0, host = "127.0.0.1", allowedHosts = [] }: Omit<ListenOptions, "console">,
  onClose: () => unknown = () => {},
): Promise<EmulatorServer> {
  const { http } = node();
  const names = [host, ...allowedHosts];
  const server = http.createServer(async (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    try {
      const read = await readRequest(request, gone.signal, names);
      await send(response, "status" in read ? read : await handle(read), gone.signal);
    } catch (error) {
      // A reset in the middle of a body would discard the bytes already sent, so the connection just ends too early.
      if (gone.signal.aborted || response.headersSent) request.socket.destroy();
      else if (error instanceof ConnectionDropped) request.socket.resetAndDestroy();
      else await send(response, refused(500, "The emulator itself failed. Please report it."), gone.signal);
    }
  });
  // A connection that the server closes while the client reuses it would be a fault that nobody requested.
  server.keepAliveTimeout = 0;
  server.once("close", onClose);
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  server.removeAllListeners("error");
  // A string only for a pipe, and null only before the server listens.
  const address = server.address() as AddressInfo;
  // At once: waiting for a stalled stream or a kept-alive connection would block a test indefinitely.
  const close = async () => {
    if (!server.listening) return;
    await new Promise((resolve) => server.close(resolve).closeAllConnections());
  };
  const url = `http://${reachable(address)}:${address.port}`;
  return { url, port: address.port, close, [Symbol.asyncDispose]: close };
}

/** Returns a host that reaches the server from this machine, which a wildcard address does not. */
function reachable({ address, family }: AddressInfo): string {
  if (address === "0.0.0.0") return "127.0.0.1";
  if (address === "::") return "[::1]";
  return family === "IPv6" ? `[${address}]` : address;
}

async function readRequest(request: IncomingMessage, signal: AbortSignal, names: readonly string[]) {
  // A target such as `//[` is a path for HTTP, but not a URL.
  const path = URL.parse(request.url ?? "/", "http://emulator")?.pathname;
  if (path === undefined) return refused(400, "Bad request target");
  const method = request.method ?? "GET";
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, `${value}`);
  const { localAddress } = request.socket;
  const error = refuseForeign({ method, headers }, localAddress, names, path.includes(controlPrefix));
  if (error !== undefined) return json(403, { error });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > maxBodyBytes) return refused(413, "Body too large");
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString("utf8");
  return { method, path, headers, body, signal };
}

function refused(status: number, message: string): EmulatedResponse {
  return json(status, refusalBody(status, message));
}

async function send(response: ServerResponse, emulated: EmulatedResponse, signal: AbortSignal): Promise<void> {
  const { setImmediate } = node();
  const { status, headers, body } = emulated;
  if (typeof body === "string") {
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) }).end(body);
    return;
  }
  response.writeHead(status, headers).flushHeaders();
  for await (const piece of body(signal)) {
    if (!response.write(piece)) await unlessAborted(signal, (resolve) => void response.once("drain", resolve));
    // Wait one turn of the event loop, or the kernel would send several pieces as one.
    await setImmediate();
  }
  response.end();
}

/**
 * Returns what the server needs of Node. It is requested at run time, so that the emulator can be bundled for browsers
 * and workers, which have `emulator.fetch`.
 */
function node() {
  const http = nodeModule<typeof import("node:http")>("node:http");
  const timers = nodeModule<typeof import("node:timers/promises")>("node:timers/promises");
  if (http && timers) return { http, setImmediate: timers.setImmediate };
  throw new ConfigurationError(
    "emulator.listen: this runtime has no `node:http`. Pass `emulator.fetch` to the client as `fetch`, or run " +
      "`npx serviceapi emulator` in another process.",
  );
}
