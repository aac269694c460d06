/** The contestants. Each reads the same stream and yields parsed events. */
import Anthropic from "@anthropic-ai/sdk";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";
import { ServiceApi } from "serviceapi";

/** Opens `/<path>` of the server and yields its events. */
export type Contestant = (base: string, path: string) => AsyncIterable<unknown>;

/** One client of each library for the life of the process, as in an application. */
function once<Client>(make: (url: string) => Client): (url: string) => Client {
  const clients = new Map<string, Client>();
  return (url) => {
    const made = clients.get(url) ?? make(url);
    clients.set(url, made);
    return made;
  };
}

const serviceapi = once((baseUrl) => new ServiceApi({ baseUrl, clientId: "bench", clientSecret: "bench-secret" }));
const openai = once((baseURL) => new OpenAI({ baseURL, apiKey: "bench-secret" }));
const anthropic = once((baseURL) => new Anthropic({ baseURL, apiKey: "bench-secret" }));

const body = { stream: true, user: { text: "Hello" }, client_referenceId: "bench-0000000000000000000001" };
const request = {
  method: "POST",
  headers: { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" },
  body: JSON.stringify(body),
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

export const contestants: Readonly<Record<string, Contestant>> = {
  floor: raw,
  serviceapi: (base, path) => serviceapi(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }),
  "serviceapi, unchecked": (base, path) =>
    serviceapi(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }, { validation: { response: "off" } }),
  openai: async function* (base, path) {
    yield* await openai(base).post<AsyncIterable<unknown>>(`/${path}`, { body, stream: true });
  },
  anthropic: async function* (base, path) {
    yield* await anthropic(base).post<AsyncIterable<unknown>>(`/${path}?name=content_block_delta`, {
      body,
      stream: true,
    });
  },
};
