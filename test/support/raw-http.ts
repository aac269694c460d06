import type { Socket } from "node:net";

/** HTTP/1.1 by hand, for servers that break its rules. */

/** A request as it was on the wire. */
export interface RawRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Number of its bytes. */
  readonly length: number;
}

/** Returns the first request of these bytes once it is whole. Every runtime sends a string with its length. */
export function parseRequest(bytes: Buffer): RawRequest | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const [start = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return undefined;
  return { path: start.split(" ")[1] ?? "", headers, body: bytes.subarray(end + 4, length).toString(), length };
}

/** Returns the head of a response, after which the connection ends. */
export function head(status: number, headers: Readonly<Record<string, string>> = {}): string {
  const all = { "Content-Type": "application/json", Connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Said\r\n${lines.join("")}\r\n`;
}

/** Sends a whole response, and ends the connection. */
export function respond(
  socket: Socket,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  socket.write(head(status, { ...headers, "Content-Length": String(Buffer.byteLength(body)) }));
  socket.end(body);
}
