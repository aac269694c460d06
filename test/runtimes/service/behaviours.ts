import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { head, respond } from "../../support/raw-http.ts";
import { answers, sse, sseText, streamEvents } from "./answers.ts";

/** A request that has arrived whole, and what can be done to its connection. */
export interface Exchange {
  readonly socket: Socket;
  /** Which request of its scenario this is, counted from 1. */
  readonly nth: number;
  /** The path of the operation, such as `flight/book`. */
  readonly path: string;
  /** Base URL of another host. */
  readonly elsewhere: string;
  /** The part after the colon of the behaviour's name: `status:421`. */
  readonly argument: string;
}

export type Behaviour = (exchange: Exchange) => void;

/**
 * The behaviours of the service, by name. Unless a behaviour is about kept-alive connections, each ends its own, so
 * that no scenario inherits a connection from the one before.
 */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  answer: ({ socket, path }) => respond(socket, 200, answers(path)),

  /** RST once the request has been read. */
  reset: ({ socket }) => socket.resetAndDestroy(),
  /** FIN once the request has been read. */
  close: ({ socket }) => socket.end(),

  /** Keeps the connection, reads the second request of the scenario whole and then drops it: the work may be done. */
  keepThenReset: (exchange) => (exchange.nth === 2 ? exchange.socket.resetAndDestroy() : keep(exchange)),
  keepThenClose: (exchange) => (exchange.nth === 2 ? exchange.socket.end() : keep(exchange)),

  cutLength: ({ socket, path }) => {
    const body = answers(path);
    socket.end(head(200, { "Content-Length": String(Buffer.byteLength(body)) }) + body.slice(0, 40));
  },
  cutChunked: ({ socket, path }) =>
    socket.end(`${head(200, { "Transfer-Encoding": "chunked" })}28\r\n${answers(path).slice(0, 40)}\r\n`),
  cutGzip: (exchange) => {
    const whole = gzipSync(answers(exchange.path));
    respond(exchange.socket, 200, whole.subarray(0, whole.length - 40), { "Content-Encoding": "gzip" });
  },

  stall: () => {},
  stallBody: ({ socket, path }) => {
    const body = answers(path);
    socket.write(head(200, { "Content-Length": String(Buffer.byteLength(body)) }) + body.slice(0, 40));
  },
  /** A byte now and then, indefinitely. */
  drip: ({ socket }) => {
    socket.write(head(200, { "Content-Length": "100000" }));
    const timer = setInterval(() => socket.write(" "), 20);
    socket.on("close", () => clearInterval(timer));
  },

  redirect: (exchange) =>
    respond(exchange.socket, Number(exchange.argument), "", { Location: `${exchange.elsewhere}/redirected/answer/x` }),
  status: (exchange) => {
    const body = { status: "FAILED", status_code: exchange.argument, message: "no" };
    respond(exchange.socket, Number(exchange.argument), JSON.stringify(body));
  },
  busy: (exchange) => respond(exchange.socket, 503, "", { "Retry-After": "0" }),
  html: (exchange) =>
    respond(exchange.socket, 502, "<!doctype html><h1>Bad gateway</h1>", { "Content-Type": "text/html" }),
  empty: (exchange) => respond(exchange.socket, 200, ""),
  gzip: (exchange) => respond(exchange.socket, 200, gzipSync(answers(exchange.path)), { "Content-Encoding": "gzip" }),
  /** Informational responses precede the one that counts (RFC 9110 §15.2). */
  earlyHints: (exchange) => {
    exchange.socket.write("HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n");
    respond(exchange.socket, 200, answers(exchange.path));
  },

  stream: ({ socket }) => socket.end(head(200, sse) + sseText(streamEvents())),
  streamCut: ({ socket }) => socket.end(head(200, sse) + sseText(streamEvents().slice(0, 4))),
  /** Begins, and then sends nothing as long as the connection is open. */
  streamHold: ({ socket }) => socket.write(head(200, sse) + sseText(streamEvents().slice(0, 4))),
};

function keep({ socket, path }: Exchange): void {
  const body = answers(path);
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: keep-alive\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
