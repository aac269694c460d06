/** The same stream, read by each: what comes out are parsed events. */
import { Stream as AnthropicStream } from "@anthropic-ai/sdk/core/streaming";
import { createParser } from "eventsource-parser";
import { Stream as OpenAiStream } from "openai/core/streaming";
import { ServiceApi } from "serviceapi";

/** Opens `/<path>` of the server and gives its events. */
export type Contestant = (base: string, path: string) => AsyncIterable<unknown>;

const credentials = { clientId: "bench", clientSecret: "bench-secret" };
const clients = new Map<string, ServiceApi>();

/** One client for the life of the process, as an application has it. */
function client(baseUrl: string): ServiceApi {
  const made = clients.get(baseUrl) ?? new ServiceApi({ baseUrl, ...credentials });
  clients.set(baseUrl, made);
  return made;
}

const request = {
  method: "POST",
  headers: { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" },
  body: JSON.stringify({ stream: true, user: { text: "Hello" }, client_referenceId: "bench-0000000000000000000001" }),
};

/** The floor: `fetch`, eventsource-parser, `JSON.parse`. */
async function* raw(base: string, path: string): AsyncGenerator<unknown> {
  const response = await fetch(`${base}/${path}`, request);
  const queue: unknown[] = [];
  const parser = createParser({ onEvent: ({ data }) => queue.push(JSON.parse(data)) });
  const decoder = new TextDecoder();
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      for (const event of queue.splice(0)) yield event;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

async function* sdk(
  Stream: typeof OpenAiStream | typeof AnthropicStream,
  base: string,
  path: string,
): AsyncGenerator<unknown> {
  const controller = new AbortController();
  const response = await fetch(`${base}/${path}`, { ...request, signal: controller.signal });
  yield* Stream.fromSSEResponse(response, controller);
}

export const contestants: Readonly<Record<string, Contestant>> = {
  floor: raw,
  serviceapi: (base, path) => client(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }),
  "serviceapi, unchecked": (base, path) =>
    client(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }, { validation: { response: "off" } }),
  openai: (base, path) => sdk(OpenAiStream, base, path),
  anthropic: (base, path) => sdk(AnthropicStream, base, `${path}?name=content_block_delta`),
};
