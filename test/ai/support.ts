import type { ServerResponse } from "node:http";
import type { AiStream } from "../../src/ai/stream/stream.ts";
import type { AiEvent } from "../../src/ai/types.ts";
import type { ClientOptions, StreamOptions } from "../../src/index.ts";
import { clientOf, sample as sampleOf } from "../support/client.ts";
import { startServer, type TestServer } from "../support/server.ts";

/** Returns a sample of the AI operations by the name of its file. */
export function sample<T = AiEvent[]>(file: string): T {
  return sampleOf(`ai/${file.replace(/\.json$/, "")}`);
}

export const markdown = sample("stream-markdown.events.json");
export const hindi = sample("stream-hindi-emoji.events.json");
export const surrogates = sample("stream-lone-surrogates.events.json");

/** Streams whose text is cut at different places, by what is in it. */
export const streams: readonly (readonly [string, AiEvent[]])[] = [
  ["Markdown", markdown],
  ["Devanagari and emoji by code point", hindi],
  ["lone surrogates", surrogates],
];

/** The text of a stream that completed. */
export function textOf(events: readonly AiEvent[]): string {
  const last = events.at(-1);
  return last?.event === "response_completed" ? last.system.text : "";
}

/** An event as a server-sent event, under a name if it is given one. */
export function sse(event: unknown, name?: unknown): string {
  return `${typeof name === "string" ? `event: ${name}\n` : ""}data: ${JSON.stringify(event)}\n\n`;
}

/** A stream of this body, for which there is no server. */
export function streamOfBody(
  body: BodyInit | null,
  options: StreamOptions = {},
  client: ClientOptions = {},
  contentType = "text/event-stream",
): AiStream {
  const fetch = async () => new Response(body, { headers: { "content-type": contentType } });
  return clientOf({ url: "https://service.example" }, { fetch, ...client }).ai.stream(
    { user: { text: "Hello" }, client_referenceId: "order-1" },
    options,
  );
}

/** A stream of a body that the test writes. */
export function writtenStream(options: StreamOptions = {}) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const write = (...events: readonly unknown[]) => {
    const text = events.map((event) => sse(event)).join("");
    // A stream that has ended takes no more.
    void writer.write(new TextEncoder().encode(text)).catch(() => {});
  };
  return { stream: streamOfBody(readable, options), write, close: () => void writer.close() };
}

/** A stream from a server that begins a body of this type and leaves the rest to `respond`. */
export async function streamFrom(
  respond: (response: ServerResponse) => unknown,
  options: StreamOptions = {},
  client: ClientOptions = {},
  contentType = "text/event-stream",
): Promise<{ stream: AiStream; server: TestServer }> {
  const server = await startServer((response) => {
    response.writeHead(200, { "content-type": contentType });
    respond(response);
  });
  const stream = clientOf(server, client).ai.stream(
    { user: { text: "Hello" }, client_referenceId: "order-1" },
    options,
  );
  return { stream, server };
}

/** A stream of these events, which the service then ends, leaves open, or goes on with. */
export function streamOf(
  events: readonly unknown[],
  then: "end" | "stay" | ((response: ServerResponse) => unknown) = "end",
  options: StreamOptions = {},
) {
  return streamFrom((response) => {
    response.write(events.map(sse).join(""));
    if (then === "end") response.end();
    else if (then !== "stay") then(response);
  }, options);
}

export interface FramingSample {
  readonly contentType: string;
  readonly encode: (events: readonly unknown[]) => string;
}

const lines = (separator: string) => (events: readonly unknown[]) =>
  events.map((event) => JSON.stringify(event) + separator).join("");
const sseWith = (end: string, before = "", after = "") => ({
  contentType: "text/event-stream; charset=utf-8",
  encode: (events: readonly unknown[]) =>
    before + events.map((event) => `data: ${JSON.stringify(event)}${end}${end}`).join("") + after,
});

/** Every framing that is read (docs/assumptions.md, I1), as a server might write it. */
export const framings = {
  "SSE with LF": sseWith("\n"),
  "SSE with CRLF": sseWith("\r\n"),
  "SSE with CR": sseWith("\r"),
  "SSE with a byte order mark, comments and a retry field": sseWith(
    "\n",
    "\uFEFF: welcome\nretry: 1000\n\n",
    ": bye\n\n",
  ),
  "SSE with [DONE]": sseWith("\n", "", "data: [DONE]\n\n"),
  "SSE without a space after the colon": {
    contentType: "text/event-stream",
    encode: (events) => events.map((event) => `data:${JSON.stringify(event)}\n\n`).join(""),
  },
  "SSE with names, ids and data of several lines": {
    contentType: "text/event-stream",
    encode: (events) =>
      events
        .map((event, i) => {
          const { event: name } = event as { event: unknown };
          const data = JSON.stringify(event, null, 1).replaceAll("\n", "\ndata: ");
          return `id: ${i}\nevent: ${typeof name === "string" ? name : "message"}\ndata: ${data}\n\n`;
        })
        .join(""),
  },
  "SSE without the last blank line": {
    contentType: "text/event-stream",
    encode: (events) => events.map((event) => `data: ${JSON.stringify(event)}`).join("\n\n"),
  },
  "SSE labelled as JSON": { ...sseWith("\n"), contentType: "application/json" },
  "SSE without a label": { ...sseWith("\n"), contentType: "" },
  NDJSON: { contentType: "application/x-ndjson", encode: lines("\n") },
  "NDJSON with a byte order mark on each line": {
    contentType: "application/x-ndjson",
    encode: (events) => events.map((event) => `\uFEFF${JSON.stringify(event)}\n`).join(""),
  },
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
} satisfies Record<string, FramingSample>;

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The characters of text, with an ASCII letter apart from its marks: it does not wait for them. */
export function partsOfText(text: string): string[] {
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  return characters.flatMap((character) => (/^[ -~]\p{M}/u.test(character) ? Array.from(character) : [character]));
}
