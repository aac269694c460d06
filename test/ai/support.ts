import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { AiEvent } from "../../src/ai/types.ts";
import { type ClientOptions, ServiceApi } from "../../src/index.ts";

/** A sample of the service as it was recorded: the JSON value of `src/emulator/samples/ai/<name>`. */
export function sample<T = AiEvent[]>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../src/emulator/samples/ai/${name}`, import.meta.url), "utf8")) as T;
}

export const markdown = sample("stream-markdown.events.json");
export const hindi = sample("stream-hindi-emoji.events.json");
export const surrogates = sample("stream-lone-surrogates.events.json");

export interface TestServer {
  readonly url: string;
  readonly requests: IncomingMessage[];
  readonly sockets: Set<Socket>;
  /** Resolves once no connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A real server on loopback that answers every request by `answer`. */
export async function serve(
  answer: (response: ServerResponse, request: IncomingMessage, body: string) => void,
): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  let onChange = () => {};
  const server = createServer(async (request, response) => {
    requests.push(request);
    let body = "";
    for await (const chunk of request) body += chunk;
    answer(response, request, body);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      onChange();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    sockets,
    idle: () =>
      new Promise((resolve) => {
        onChange = () => sockets.size === 0 && resolve();
        onChange();
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client of a test server. */
export function clientOf(server: { readonly url: string }, options: ClientOptions = {}): ServiceApi {
  return new ServiceApi({ baseUrl: server.url, clientId: "test-id", clientSecret: "test-secret-4711", ...options });
}

export interface FramingSample {
  readonly contentType: string;
  readonly encode: (events: readonly unknown[]) => string;
}

const lines = (separator: string) => (events: readonly unknown[]) =>
  events.map((event) => JSON.stringify(event) + separator).join("");
const sse = (end: string, before = "", after = "") => ({
  contentType: "text/event-stream; charset=utf-8",
  encode: (events: readonly unknown[]) =>
    before + events.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join("") + after,
});

/** Every framing that is read (docs/assumptions.md, I1), as a server might write it. */
export const framings: Readonly<Record<string, FramingSample>> = {
  "SSE with LF": sse("\n"),
  "SSE with CRLF": sse("\r\n"),
  "SSE with CR": sse("\r"),
  "SSE with a byte order mark, comments and a retry field": sse("\n", "\uFEFF: welcome\nretry: 1000\n\n", ": bye\n\n"),
  "SSE with [DONE]": sse("\n", "", "data: [DONE]\n\n"),
  "SSE without a space after the colon": {
    contentType: "text/event-stream",
    encode: (events) => events.map((event) => `data:${JSON.stringify(event)}\n\n`).join(""),
  },
  "SSE with names, ids and data of several lines": {
    contentType: "text/event-stream",
    encode: (events) =>
      events
        .map((event, i) => {
          const { event: name } = event as { event: string };
          const data = JSON.stringify(event, null, 1).replaceAll("\n", "\ndata: ");
          return `id: ${i}\nevent: ${name}\ndata: ${data}\n\n`;
        })
        .join(""),
  },
  "SSE without the last blank line": {
    contentType: "text/event-stream",
    encode: (events) => events.map((event) => `data: ${JSON.stringify(event)}`).join("\n\n"),
  },
  "SSE labelled as JSON": { ...sse("\n"), contentType: "application/json" },
  "SSE without a label": { ...sse("\n"), contentType: "" },
  NDJSON: { contentType: "application/x-ndjson", encode: lines("\n") },
  "NDJSON with CRLF": { contentType: "application/x-ndjson", encode: lines("\r\n") },
  "NDJSON labelled as SSE": { contentType: "text/event-stream", encode: lines("\n") },
  "NDJSON without a label": { contentType: "", encode: lines("\n") },
  "a JSON array": { contentType: "application/json", encode: (events) => JSON.stringify(events) },
  "a JSON array over many lines": {
    contentType: "application/json",
    encode: (events) => `\uFEFF${JSON.stringify(events, null, 2)}\n`,
  },
  "JSON values end to end": { contentType: "application/json", encode: lines("") },
  "JSON values over many lines": {
    contentType: "text/plain",
    encode: (events) => events.map((event) => JSON.stringify(event, null, 2)).join("\n"),
  },
  "a JSON text sequence": {
    contentType: "application/json-seq",
    encode: (events) => events.map((event) => `\u001E${JSON.stringify(event)}\n`).join(""),
  },
};

/** Everything that a stream gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of source) all.push(item);
  return all;
}

/** What reading comes to when it fails, with what had been given before. */
export async function collectUntilError<T>(source: AsyncIterable<T>): Promise<{ given: T[]; error: unknown }> {
  const given: T[] = [];
  try {
    for await (const item of source) given.push(item);
  } catch (error) {
    return { given, error };
  }
  throw new Error("the stream ended without an error");
}
