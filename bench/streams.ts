/** Contestants that read the event streams of the server. Each yields parsed events, by the client of its library. */
import Anthropic from "@anthropic-ai/sdk";
import { createGateway, streamText } from "ai";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";
import { ServiceApi } from "serviceapi";

export interface StreamContestant {
  readonly name: string;
  /** Opens the stream at a path of the server, such as `blocks/2000`, and yields its events. */
  readonly open: (base: string, path: string) => AsyncIterable<unknown>;
}

const request = {
  method: "POST",
  headers: { "client-id": "bench", "client-secret": "bench-secret", "content-type": "application/json" },
  body: JSON.stringify({ stream: true, user: { text: "Hello" }, client_referenceId: "bench-00000000000000000001" }),
};

/** `fetch` that is aborted unless its response begins in time, and later by whoever reads the stream. */
async function fetchInTime(url: string): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), 60_000);
  try {
    return await fetch(url, { ...request, signal: controller.signal });
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the events of a response with eventsource-parser and `JSON.parse`. */
async function* eventsOf(responding: Promise<Response>): AsyncGenerator<unknown> {
  const response = await responding;
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

/** One client for each URL in the life of the process, as in an application. */
function kept<Client>(make: (url: string) => Client): (url: string) => Client {
  const clients = new Map<string, Client>();
  return (url) => {
    const client = clients.get(url) ?? make(url);
    clients.set(url, client);
    return client;
  };
}

const apiKey = "bench-secret";
const serviceapi = kept((baseUrl) => new ServiceApi({ baseUrl, clientId: "bench", clientSecret: apiKey }));
const openai = kept((baseURL) => new OpenAI({ baseURL, apiKey }));
const anthropic = kept((baseURL) => new Anthropic({ baseURL, apiKey }));
const gateway = kept((baseURL) => createGateway({ baseURL, apiKey }));
const messages = [{ role: "user" as const, content: "Hello" }];

export const floor = "fetch + parser";

export const streamContestants: readonly StreamContestant[] = [
  { name: floor, open: (base, path) => eventsOf(fetch(`${base}/${path}`, request)) },
  { name: "fetch, with a deadline", open: (base, path) => eventsOf(fetchInTime(`${base}/${path}`)) },
  { name: "serviceapi", open: (base, path) => serviceapi(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }) },
  {
    name: "serviceapi, unchecked",
    open: (base, path) =>
      serviceapi(`${base}/${path}`).ai.stream({ user: { text: "Hello" } }, { validation: { response: "off" } }),
  },
  {
    name: "openai",
    open: async function* (base, path) {
      yield* await openai(`${base}/${path}`).chat.completions.create({ model: "bench", messages, stream: true });
    },
  },
  {
    name: "anthropic",
    open: async function* (base, path) {
      const client = anthropic(`${base}/${path}/anthropic`);
      yield* await client.messages.create({ model: "bench", max_tokens: 1_000, messages, stream: true });
    },
  },
  {
    name: "ai",
    open: async function* (base, path) {
      const { stream } = streamText({ model: gateway(`${base}/${path}/ai`)("bench"), messages });
      for await (const part of stream) {
        if (part.type === "error") throw part.error;
        if (part.type === "text-delta") yield part;
      }
    },
  },
];

/** Reads a stream to its end and returns the number of its events. */
export async function drain(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _event of events) count += 1;
  return count;
}
