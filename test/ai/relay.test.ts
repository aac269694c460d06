import { DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { createParser } from "eventsource-parser";
import { afterEach, describe, expect, it } from "vitest";
import type { RelayOptions } from "../../src/ai/relay.ts";
import type { AiStream } from "../../src/ai/stream.ts";
import type { AiEvent } from "../../src/index.ts";
import { clientOf, collect, hindi, markdown, serve, surrogates, type TestServer } from "./support.ts";

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

/** A stream of these events, which the service then ends or leaves open. */
async function streamOf(
  events: readonly unknown[],
  then: "end" | "stay" = "end",
): Promise<{ stream: AiStream; server: TestServer }> {
  const server = await serve((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(events.map(sse).join(""));
    if (then === "end") response.end();
  });
  servers.push(server);
  return { stream: clientOf(server).ai.stream({ user: { text: "Hello" } }), server };
}

const textOf = (events: readonly AiEvent[]) => {
  const last = events.at(-1);
  return last?.event === "response_completed" ? last.system.text : "";
};

function parse(body: string): { name: string | undefined; data: unknown }[] {
  const all: { name: string | undefined; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => all.push({ name: event, data: data === "[DONE]" ? data : JSON.parse(data) }),
  });
  parser.feed(body);
  return all;
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const characters = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

describe("a relay as server-sent events", () => {
  it("passes the events on under their names, and tells proxies to let them through", async () => {
    const { stream } = await streamOf(markdown);
    const response = stream.toResponse({ headers: { "x-mine": "1" } });
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-mine": "1",
    });
    const events = parse(await response.text());
    expect(events.map(({ name }) => name)).toEqual(markdown.map(({ event }) => event));
    expect(events.at(-1)?.data).toEqual(markdown.at(-1));
    expect(stream.state).toBe("completed");
  });

  it.each([
    ["Devanagari and emoji by code point", hindi],
    ["lone surrogates", surrogates],
  ])("%s: its chunks end between characters", async (_name, events) => {
    const { stream } = await streamOf(events);
    const given = parse(await stream.toResponse().text()).map(({ data }) => data as AiEvent);
    const chunks = given.flatMap((event) => (event.event === "response_output" ? [event.system.text_chunk] : []));
    expect(chunks.flatMap(characters)).toEqual(characters(textOf(events)));
  });

  it("an event whose name would break a line stands under no name", async () => {
    const odd = { event: "a\ndata: b", note: 1 };
    const { stream } = await streamOf([odd, ...markdown.slice(-1)]);
    expect(parse(await stream.toResponse().text())[0]).toEqual({ name: undefined, data: odd });
  });

  it("ends with a typed error, which tells the person nothing of the inside", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    const events = parse(await stream.toResponse().text());
    expect(events.at(-1)).toEqual({
      name: "stream_error",
      data: { event: "stream_error", kind: "stream_truncated", message: "The answer could not be completed." },
    });
    const { stream: other } = await streamOf(markdown.slice(0, 4));
    const text = await other.toResponse({ errorText: (error) => `Sorry (${error.kind})` }).text();
    expect(text).toContain("Sorry (stream_truncated)");
  });

  it("sends heartbeats while the service is silent", async () => {
    const { stream, server } = await streamOf(markdown.slice(0, 1), "stay");
    const reader = stream.toReadableStream({ heartbeat: 20 }).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toContain("response_initiated");
    expect(await read()).toMatch(/^:/);
    expect(await read()).toMatch(/^:/);
    await reader.cancel();
    await server.idle();
  });
});

describe("a relay as text", () => {
  it.each([
    ["Markdown", markdown],
    ["Devanagari and emoji by code point", hindi],
    ["lone surrogates", surrogates],
  ])("%s: the text, in whole characters", async (_name, events) => {
    const { stream } = await streamOf(events);
    const response = stream.toResponse({ format: "text" });
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const parts = await collect(response.body ?? new ReadableStream());
    // Each part is readable by itself: no character's bytes are parted.
    const texts = parts.map((part) => new TextDecoder("utf-8", { fatal: true }).decode(part));
    expect(texts.flatMap(characters)).toEqual(characters(textOf(events)));
  });

  it("a failure breaks it off: a cut never passes for an end", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    await expect(stream.toResponse({ format: "text" }).text()).rejects.toMatchObject({ name: "StreamTruncatedError" });
  });
});

describe("a relay for the Vercel AI SDK", () => {
  /** The message that the SDK's own client makes of the response. */
  async function receive(
    stream: AiStream,
    options: RelayOptions = {},
  ): Promise<{ message: UIMessage | undefined; error: unknown }> {
    const transport = new DefaultChatTransport({
      api: "https://app.example/api/chat",
      fetch: (async () => stream.toResponse({ ...options, format: "ui-message" })) as typeof fetch,
    });
    const chunks = await transport.sendMessages({
      trigger: "submit-message",
      chatId: "chat",
      messageId: undefined,
      messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "Hello" }] }],
      abortSignal: undefined,
    });
    let message: UIMessage | undefined;
    let error: unknown;
    for await (const state of readUIMessageStream({ stream: chunks, onError: (thrown) => (error = thrown) }))
      message = state;
    return { message, error };
  }

  it.each([
    ["Markdown", markdown],
    ["Devanagari and emoji by code point", hindi],
    ["lone surrogates", surrogates],
  ])("%s arrives as one message", async (_name, events) => {
    const { stream } = await streamOf(events);
    const { message, error } = await receive(stream);
    expect(error).toBeUndefined();
    expect(message).toMatchObject({ role: "assistant" });
    expect(message?.parts.filter(({ type }) => type === "text")).toEqual([
      expect.objectContaining({ type: "text", text: textOf(events), state: "done" }),
    ]);
  });

  it("a cut arrives as an error, after the text that came", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    const { message, error } = await receive(stream, { errorText: () => "Cut short." });
    expect(message?.parts.find(({ type }) => type === "text")).toMatchObject({
      text: "# Fare quote ",
      state: "streaming",
    });
    expect(error).toMatchObject({ message: "Cut short." });
  });

  it("an abort on the server arrives as one, and an answer without text as an empty message", async () => {
    const { stream } = await streamOf(markdown.slice(0, 1), "stay");
    const response = stream.toResponse({ format: "ui-message" });
    const body = response.text();
    while (stream.state !== "streaming" || stream.contextToken === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    stream.abort();
    const last = 'data: {"type":"error","errorText":"The answer could not be completed."}';
    expect((await body).split("\n\n").slice(-3)).toEqual([last, "data: [DONE]", ""]);
    const [initiated] = markdown;
    const empty = { ...markdown.at(-1), system: { msg_id: "m", text: "" } };
    const { stream: silent } = await streamOf([initiated, empty]);
    expect((await receive(silent)).error).toBeUndefined();
  });
});

describe("whoever reads a relay", () => {
  it.each(["sse", "text", "ui-message"] as const)("%s: leaving ends the call upstream", async (format) => {
    const { stream, server } = await streamOf(markdown.slice(0, 5), "stay");
    const reader = stream.toReadableStream({ format }).getReader();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    await waiting;
    expect(stream.state).toBe("aborted");
    await server.idle();
  });

  it("sends nothing until it reads", async () => {
    const { stream, server } = await streamOf(markdown);
    const response = stream.toResponse();
    expect(server.requests).toHaveLength(0);
    await response.body?.cancel();
    expect(server.requests).toHaveLength(0);
    expect(stream.state).toBe("aborted");
  });

  it("shares it with finalText(), without a tee", async () => {
    const { stream } = await streamOf(markdown);
    const [body, text] = await Promise.all([stream.toResponse({ format: "text" }).text(), stream.finalText()]);
    expect(body).toBe(text);
  });
});
