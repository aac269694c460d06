import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { AbstractChat, type ChatState, DefaultChatTransport, readUIMessageStream, type UIMessage } from "ai";
import { createParser } from "eventsource-parser";
import { describe, expect, it, vi } from "vitest";
import { readRelay } from "../../../src/ai/relay/read-relay.ts";
import type { RelayOptions, RelayResponseOptions } from "../../../src/ai/relay/relay.ts";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import { type AiEvent, ConfigurationError, type ResponseCompleted } from "../../../src/index.ts";
import { clientOf } from "../../support/client.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { refusalOf } from "../../support/refusal.ts";
import { expectNoSecret, secret } from "../../support/secrets.ts";
import { suspendable, watchDelays } from "../../support/suspended.ts";
import { throws } from "../../support/throws.ts";
import { countTimers } from "../../support/timers.ts";
import { chunk, completed } from "../events.ts";
import { markdown, partsOfText, sse, streamOf, streams, textOf } from "../support.ts";

/** A stream that is cut behind a character that is still held back. */
const cut = [...markdown.slice(0, 1), chunk(1, "Fare "), chunk(2, "quoté")];

function parse(body: string): { name: string | undefined; data: unknown }[] {
  const all: { name: string | undefined; data: unknown }[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => all.push({ name: event, data: data === "[DONE]" ? data : JSON.parse(data) }),
  });
  parser.feed(body);
  return all;
}

/** The text of a body, part by part. */
async function* partsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  for await (const part of body) yield decoder.decode(part, { stream: true });
}

const outputsIn = (body: string) =>
  parse(body).flatMap(({ data }) => {
    const event = data as AiEvent;
    return event.event === "response_output" ? [event] : [];
  });

/** The text that a reader of each kind assembles, and its error if there was one. */
async function textBy(
  how: "textStream" | "text" | "sse" | "ui-message",
  stream: AiStream,
): Promise<{ text: string; error: unknown }> {
  let text = "";
  try {
    const parts = how === "textStream" ? stream.textStream : partsOf(stream.toReadableStream({ format: how }));
    for await (const part of parts) text += part;
  } catch (error) {
    return { text, error };
  }
  if (how === "sse") text = outputsIn(text).reduce((all, { system }) => all + system.text_chunk, "");
  if (how === "ui-message") {
    text = parse(text).reduce((all, { data }) => all + ((data as { delta?: string }).delta ?? ""), "");
  }
  return { text, error: undefined };
}
const everyReader = ["textStream", "text", "sse", "ui-message"] as const;

describe("a relay as server-sent events", () => {
  it("does not pass on an event of the service under the name of the relay's failure", async () => {
    const [initiated, ...rest] = markdown;
    const { stream } = await streamOf([initiated, { event: "stream_error", kind: "x", message: secret }, ...rest]);
    const response = stream.toResponse();
    expect(await collect(readRelay(response))).toEqual(markdown);
    expect(stream.state).toBe("completed");
  });

  it("passes the events on under their names, and asks proxies not to buffer them", async () => {
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

  it.each(streams)("%s: its chunks end between characters", async (_name, events) => {
    const { stream } = await streamOf(events);
    const given = parse(await stream.toResponse().text()).map(({ data }) => data as AiEvent);
    const chunks = given.flatMap((event) => (event.event === "response_output" ? [event.system.text_chunk] : []));
    expect(chunks.flatMap(partsOfText)).toEqual(partsOfText(textOf(events)));
  });

  it("an echoed secret leaves numbers as they are, and the events of the caller", async () => {
    const [initiated, ...rest] = markdown;
    const echo = { ...initiated, created_ms: 1_787_654_321_000, debug: ["87654321"] };
    const { stream } = await streamOf([echo, ...rest], "end", { headers: { "x-api-key": "87654321" } });
    const [first] = await collect(readRelay(stream.toResponse()));
    expect(first).toEqual({ ...echo, debug: ["[redacted]"] });
  });

  it.each(["message", "debug"])("an echoed secret in `%s` of an event does not reach the browser", async (name) => {
    const [initiated, ...rest] = markdown;
    const echo = { ...initiated, [name]: { headers: [`client-secret: ${secret}`] } };
    const { stream } = await streamOf([echo, { event: "progress", [name]: secret }, ...rest]);
    const body = await stream.toResponse().text();
    expectNoSecret(body);
    expect(parse(body).slice(2)).toHaveLength(rest.length);
  });

  it("an event whose name would break a line is sent without a name", async () => {
    const odd = { event: "a\ndata: b", note: 1 };
    const { stream } = await streamOf([odd, ...markdown.slice(-1)]);
    expect(parse(await stream.toResponse().text())[0]).toEqual({ name: undefined, data: odd });
  });

  it("ends with a typed error, which shows the person no internals", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    const events = parse(await stream.toResponse().text());
    expect(events.at(-1)).toEqual({
      name: "stream_error",
      data: { event: "stream_error", kind: "stream_truncated", message: "The response could not be completed." },
    });
    const { stream: other } = await streamOf(markdown.slice(0, 4));
    const text = await other.toResponse({ errorText: (error) => `Sorry (${error.kind})` }).text();
    expect(text).toContain("Sorry (stream_truncated)");
  });

  it("a failure follows everything that was received before it", async () => {
    const { stream } = await streamOf(cut);
    const events = parse(await stream.toResponse().text()).map(({ data }) => data);
    expect(events.slice(1)).toEqual([
      chunk(1, "Fare "),
      chunk(2, "quot"),
      chunk(3, "é"),
      expect.objectContaining({ event: "stream_error", kind: "stream_truncated" }),
    ]);
  });

  it("one more chunk carries the rest of the completed text, under the next number", async () => {
    const goingOn = Promise.withResolvers<ServerResponse>();
    const { stream } = await streamOf([chunk(1, "one "), chunk(3, "three ")], goingOn.resolve, {
      stream: { reorderTimeout: 1 },
    });
    let body = "";
    for await (const part of partsOf(stream.toReadableStream())) {
      body += part;
      if (!part.includes('"sequence_no":3')) continue;
      (await goingOn.promise).end(sse(chunk(2, "two ")) + sse(completed("one three two and more")));
    }
    expect(outputsIn(body)).toEqual([chunk(1, "one "), chunk(3, "three "), chunk(2, "two "), chunk(4, "and more")]);
    expect(stream.textMismatch).toBe(true);
  });

  it("one more chunk has no number if no chunk had one", async () => {
    const { stream } = await streamOf([{ ...chunk(1, "one "), sequence_no: undefined }, completed("one and more")]);
    const outputs = outputsIn(await stream.toResponse().text());
    expect(outputs.map(({ system }) => system.text_chunk)).toEqual(["one ", "and more"]);
    expect(outputs[1]).not.toHaveProperty("sequence_no");
  });

  it("sends heartbeats while the service is silent", async () => {
    const { stream, server } = await streamOf(markdown.slice(0, 1), "stay");
    const reader = stream.toReadableStream({ heartbeat: 20 }).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    // Heartbeats come before the first event too, if it takes its time.
    let first = await read();
    while (first.startsWith(":")) first = await read();
    expect(first).toContain("response_initiated");
    expect(await read()).toMatch(/^:/);
    expect(await read()).toMatch(/^:/);
    await reader.cancel();
    await server.idle();
  });
});

describe("a relay as text", () => {
  it.each(streams)("%s: the text, in whole characters", async (_name, events) => {
    const { stream } = await streamOf(events);
    const response = stream.toResponse({ format: "text" });
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    const parts = await collect(response.body ?? new ReadableStream());
    // Each part can be decoded separately: no character is split.
    const texts = parts.map((part) => new TextDecoder("utf-8", { fatal: true }).decode(part));
    expect(texts.flatMap(partsOfText)).toEqual(partsOfText(textOf(events)));
  });

  it("a failure breaks it off: a cut never looks like an end", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    await expect(stream.toResponse({ format: "text" }).text()).rejects.toMatchObject({ name: "StreamTruncatedError" });
  });

  it("a failure breaks it off after the last character received", async () => {
    const { stream } = await streamOf(cut);
    const { all, error } = await collectUntilError(partsOf(stream.toReadableStream({ format: "text" })));
    expect(all).toEqual(["Fare ", "quot", "é"]);
    expect(error).toMatchObject({ name: "StreamTruncatedError", partialText: "Fare quoté" });
  });
});

/** The SDK's own chat, as `useChat` keeps it, which asks a server that relays this stream. */
class Chat extends AbstractChat<UIMessage> {
  readonly errors: string[];
  /** Resolves once part of the response is visible. */
  readonly hasText: Promise<void>;

  constructor(stream: AiStream) {
    const errors: string[] = [];
    const shown = Promise.withResolvers<void>();
    const put = (index: number, message: UIMessage) => {
      state.messages[index] = message;
      const isText = (part: UIMessage["parts"][number]) => part.type === "text" && part.text !== "";
      if (message.role === "assistant" && message.parts.some(isText)) shown.resolve();
    };
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => put(state.messages.length, message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: put,
      snapshot: (thing) => structuredClone(thing),
    };
    const transport = new DefaultChatTransport<UIMessage>({
      api: "https://app.example/api/chat",
      fetch: (async () => stream.toResponse({ format: "ui-message" })) as typeof fetch,
    });
    super({ id: "chat", state, transport, onError: ({ message }) => void errors.push(message) });
    this.errors = errors;
    this.hasText = shown.promise;
  }
}

describe("a relay for the Vercel AI SDK", () => {
  /** The message that the SDK's own client reads from the response. */
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

  it.each(streams)("%s arrives as one message", async (_name, events) => {
    const { stream } = await streamOf(events);
    const { message, error } = await receive(stream);
    expect(error).toBeUndefined();
    expect(message).toMatchObject({ role: "assistant" });
    expect(message?.parts.filter(({ type }) => type === "text")).toEqual([
      expect.objectContaining({ type: "text", text: textOf(events), state: "done" }),
    ]);
  });

  it("a cut arrives as an error, after the text received so far", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4));
    const { message, error } = await receive(stream, { errorText: () => "Cut short." });
    expect(message?.parts.find(({ type }) => type === "text")).toMatchObject({
      text: "# Fare quote ",
      state: "streaming",
    });
    expect(error).toMatchObject({ message: "Cut short." });
  });

  it("names its protocol in a header", async () => {
    const { stream } = await streamOf(markdown);
    const { headers, body } = stream.toResponse({ format: "ui-message" });
    expect(headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    await body?.cancel();
  });

  it("a cut loses none of the text received", async () => {
    const { stream } = await streamOf(cut);
    const { message, error } = await receive(stream);
    expect(message?.parts.find(({ type }) => type === "text")).toMatchObject({ text: "Fare quoté" });
    expect(error).toMatchObject({ message: "The response could not be completed." });
  });

  it("stream.abort() on the server is an error for the SDK's chat", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4), "stay");
    const chat = new Chat(stream);
    const sent = chat.sendMessage({ text: "Hello" });
    await chat.hasText;
    expect(chat.status).toBe("streaming");
    stream.abort();
    await sent;
    expect(chat.errors).toEqual(["The response could not be completed."]);
    expect(chat.status).toBe("error");
  });

  it("AbortSignal.timeout() on the server is one too", async () => {
    const { stream } = await streamOf(markdown.slice(0, 4), "stay", { signal: AbortSignal.timeout(100) });
    const chat = new Chat(stream);
    await chat.sendMessage({ text: "Hello" });
    expect(stream.state).toBe("aborted");
    expect(chat.errors).toEqual(["The response could not be completed."]);
    expect(chat.status).toBe("error");
  });

  it("a response that completes is not", async () => {
    const { stream } = await streamOf(markdown);
    const chat = new Chat(stream);
    await chat.sendMessage({ text: "Hello" });
    expect(chat.errors).toEqual([]);
    expect(chat.status).toBe("ready");
  });

  it("heartbeats continue while the service sends events that write nothing", async () => {
    const { stream, server } = await streamOf(markdown.slice(0, 1), (response) => {
      const timer = setInterval(() => response.write(sse({ event: "response_thought", note: "not shown" })), 2);
      response.on("close", () => clearInterval(timer));
    });
    const reader = stream.toReadableStream({ format: "ui-message", heartbeat: 30 }).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toContain('"type":"start"');
    for (let i = 0; i < 3; i++) expect(await read()).toMatch(/^: /);
    await reader.cancel();
    await server.idle();
  });

  it("a process that was suspended sets no timer in the past", async () => {
    const suspend = suspendable();
    const sendLate = (response: ServerResponse) => {
      suspend();
      response.write(sse({ event: "response_thought", note: "not shown" }));
    };
    const sending = gate<ServerResponse>();
    const forever = { stream: { idleTimeout: false, eventTimeout: false, timeout: false } } as const;
    const { stream, server } = await streamOf(markdown.slice(0, 1), sending.open, forever);
    const reader = stream.toReadableStream({ format: "ui-message", heartbeat: 1_000 }).getReader();
    await reader.read();
    const delays = watchDelays();
    setImmediate(async () => sendLate(await sending.opened));
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(/^: /);
    expect(delays().filter((delay) => !(Number(delay) >= 0))).toEqual([]);
    await reader.cancel();
    await server.idle();
  });

  it("a response without text is an empty message", async () => {
    const { stream } = await streamOf([...markdown.slice(0, 1), completed("")]);
    const { message, error } = await receive(stream);
    expect(error).toBeUndefined();
    expect(message?.parts).toEqual([{ type: "step-start" }]);
  });
});

describe("the reader of a relay", () => {
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

  it.each(["sse", "text", "ui-message"] as const)("%s: sends nothing until it reads", async (format) => {
    const { stream, server } = await streamOf(markdown);
    const response = stream.toResponse({ format });
    // Another call goes all the way meanwhile.
    await clientOf(server)
      .ai.stream({ user: { text: "Hello" } })
      .finalText();
    expect(server.requests).toHaveLength(1);
    expect(stream.state).toBe("idle");
    await response.body?.cancel();
    expect(server.requests).toHaveLength(1);
    expect(stream.state).toBe("aborted");
  });

  it.each(["sse", "text", "ui-message"] as const)("%s: no timer outlives the reading", async (format) => {
    const timers = countTimers();
    const { stream } = await streamOf(markdown);
    await stream.toResponse({ format, heartbeat: 60_000 }).text();
    await expect.poll(timers).toBe(0);
    const { stream: open } = await streamOf(markdown.slice(0, 3), "stay");
    const reader = open.toReadableStream({ format, heartbeat: 60_000 }).getReader();
    await reader.read();
    const waiting = reader.read();
    await reader.cancel();
    await waiting;
    await expect.poll(timers).toBe(0);
  });

  it.each([
    ["before", true],
    ["after", false],
  ])("shares it with a finalText() that was called %s the response, without a tee", async (_name, isBefore) => {
    const { stream, server } = await streamOf(markdown);
    const saved: string[] = [];
    const save = () => void stream.finalText().then((text) => saved.push(text));
    if (isBefore) save();
    const response = stream.toResponse({ format: "text" });
    if (!isBefore) save();
    expect(await response.text()).toBe(textOf(markdown));
    await expect.poll(() => saved).toEqual([textOf(markdown)]);
    expect(server.requests).toHaveLength(1);
  });
});

describe("the text of a stream", () => {
  it.each(everyReader)("%s: continues to the completed text, even if a chunk is longer than 1 MiB", async (how) => {
    const long = "long ".repeat(250_000);
    const events = [...markdown.slice(0, 1), chunk(1, long), chunk(2, "and "), completed(`${long}and more`)];
    const { stream } = await streamOf(events, "end", { stream: { maxEventBytes: 4_194_304 } });
    const { text, error } = await textBy(how, stream);
    expect(error).toBeUndefined();
    expect(text.slice(long.length)).toBe("and more");
    expect(stream.textMismatch).toBe(true);
  });

  it.each(everyReader)("%s: a completed text that differs adds nothing to it", async (how) => {
    const events = [...cut, completed("Something else, and longer than the chunks")];
    const { stream } = await streamOf(events);
    const error = how === "text" ? expect.objectContaining({ reason: "textMismatch" }) : undefined;
    expect(await textBy(how, stream)).toEqual({ text: "Fare quoté", error });
    expect(stream.textMismatch).toBe(true);
    if (how === "textStream" || how === "sse")
      expect(await stream.finalText()).toBe("Something else, and longer than the chunks");
  });

  it.each(["text", "ui-message"] as const)(
    "%s: a completed text that says something else is a failure, before it is saved",
    async (format) => {
      const { stream } = await streamOf([
        ...cut,
        completed("Fare quoté. It may not be cancelled.".replace("quoté", "lost")),
      ]);
      const onFinish = vi.fn();
      const errorText = vi.fn(() => "Ask again.");
      const text = await stream
        .toResponse({ format, onFinish, errorText })
        .text()
        .catch((error: unknown) => error);
      expect(onFinish).not.toHaveBeenCalled();
      const failure = { name: "StreamFailedError", reason: "textMismatch", outcome: "unknown" };
      expect(text).toEqual(
        format === "text" ? expect.objectContaining(failure) : expect.stringContaining("Ask again."),
      );
      if (format === "ui-message") expect(errorText).toHaveBeenCalledWith(expect.objectContaining(failure));
    },
  );

  it.each<[string, string, RelayOptions]>([
    ["a text that says something else", "Fare lost. It may not be cancelled.", {}],
    ["an onFinish that fails", "Fare quoté", { onFinish: () => Promise.reject(new Error("no disk")) }],
  ])("a failure of the relay takes the turn back: %s", async (_case, text, options) => {
    const body = [...cut, completed(text)].map(sse).join("");
    const headers = { "content-type": "text/event-stream" };
    const api = clientOf({ url: "https://service.example" }, { fetch: async () => new Response(body, { headers }) });
    const chat = api.ai.conversation();
    const stream = chat.stream("Hello");
    await expect(stream.toResponse({ format: "text", ...options }).text()).rejects.toThrow();
    expect([chat.turns, chat.contextToken]).toEqual([[], undefined]);
    await chat.stream("Hello").finalText();
    expect(chat.turns).toHaveLength(1);
  });

  it.each(["text", "ui-message"] as const)("%s: white space alone makes no other text", async (format) => {
    const { stream } = await streamOf([...cut, completed("Fare  quoté\n")]);
    const onFinish = vi.fn();
    expect(await stream.toResponse({ format, onFinish }).text()).toContain("quot");
    expect(onFinish).toHaveBeenCalledOnce();
  });
});

describe("the options of a relay", () => {
  it.each<[string, unknown, string]>([
    ["no object", null, "the options must be an object"],
    ["an unknown name", { heart_beat: 1 }, '"heart_beat" (did you mean "heartbeat"?)'],
    ["an unknown format", { format: "json" }, '`format` must be "sse", "text" or "ui-message"'],
    ["a format that every object has", { format: "toString" }, '`format` must be "sse", '],
    ["no format at all", { format: null }, '`format` must be "sse", '],
    ["a heartbeat without a pause", { heartbeat: 0 }, "`heartbeat` must be a number of milliseconds between 1"],
    ["a heartbeat that is no number", { heartbeat: Number.NaN }, "`heartbeat` must be a number of milliseconds"],
    [
      "a heartbeat without an end",
      { heartbeat: Number.POSITIVE_INFINITY },
      "`heartbeat` must be a number of milliseconds",
    ],
    [
      "a heartbeat that setTimeout takes for none",
      { heartbeat: 2 ** 31 },
      "`heartbeat` must be a number of milliseconds",
    ],
    ["no heartbeat, said wrongly", { heartbeat: null }, "`heartbeat` must be a number of milliseconds"],
    ["a text for every error", { errorText: "Sorry" }, "`errorText` must be a function"],
    ["a promise to await at the end", { onFinish: Promise.resolve() }, "`onFinish` must be a function"],
  ])("are refused before the stream is taken: %s", async (_name, options, message) => {
    const { stream } = await streamOf(markdown);
    const respond = () => stream.toResponse(options as RelayResponseOptions);
    const read = () => stream.toReadableStream(options as RelayOptions);
    for (const relay of [respond, read]) expect(refusalOf(relay)).toContain(message);
    expect(await stream.toResponse({ format: "text" }).text()).toBe(textOf(markdown));
  });

  it.each<[string, unknown, string]>([
    [
      "a line break in a value",
      { "x-mine": "a\r\nsecret: 1" },
      '`headers` has a name or value that HTTP does not allow: "x-mine"',
    ],
    ["a name that is none", { "x mine": "secret" }, '`headers` has a name or value that HTTP does not allow: "x mine"'],
    ["a value that is no text", { "x-mine": 1 }, '`headers` has a value that is not a string: "x-mine"'],
    ["Headers", new Headers({ "x-mine": "secret" }), "`headers` must be a plain object"],
    ["null", null, "`headers` must be a plain object"],
  ])("are refused before the stream is taken: %s for headers", async (_name, headers, message) => {
    const { stream } = await streamOf(markdown);
    const respond = () => stream.toResponse({ headers } as RelayResponseOptions);
    expect(respond).toThrow(ConfigurationError);
    expect(respond).toThrow(message);
    expect(respond).not.toThrow("secret");
    expect(() => stream.toReadableStream({ headers } as RelayOptions)).toThrow('unknown option "headers"');
    expect(await stream.finalText()).toBe(textOf(markdown));
  });

  it.each<[string, unknown]>([
    ["throws", throws(new TypeError("no words"))],
    ["is async", async () => "Later."],
    ["is async and throws", () => Promise.reject(new TypeError("no words"))],
    ["gives nothing", () => undefined],
    ["gives no text", () => 42],
  ])("errorText that %s falls back to the default, and does not change the error", async (_name, errorText) => {
    for (const format of ["sse", "ui-message"] as const) {
      const { stream } = await streamOf(cut);
      const whole = expect(stream.finalText()).rejects.toMatchObject({ name: "StreamTruncatedError" });
      const body = await stream.toResponse({ format, errorText } as RelayResponseOptions).text();
      expect(body.match(/The response could not be completed\./g)).toHaveLength(1);
      if (format === "sse") expect(parse(body).at(-1)?.data).toMatchObject({ kind: "stream_truncated" });
      await whole;
    }
  });

  it("errorText is not called for the format text, which shows no failures", async () => {
    const { stream } = await streamOf(cut);
    const errorText = vi.fn(() => "Sorry.");
    const body = stream.toResponse({ format: "text", errorText }).text();
    await expect(body).rejects.toMatchObject({ name: "StreamTruncatedError" });
    expect(errorText).not.toHaveBeenCalled();
  });
});

describe.each(["sse", "text", "ui-message"] as const)("onFinish of a relay as %s", (format) => {
  it("is awaited, with the response, before the relay ends", async () => {
    const saved = gate();
    const seen: unknown[] = [];
    const { stream } = await streamOf(markdown);
    const onFinish = async (response: ResponseCompleted) => {
      seen.push(response, stream.state);
      await saved.opened;
      seen.push("saved");
    };
    const body = stream.toResponse({ format, onFinish }).text();
    const ended = stream.ended().then(() => seen.push("ended"));
    await stream.finalText();
    for (let i = 0; i < 5; i++) await turn();
    expect(seen).toEqual([markdown.at(-1), "completed"]);
    saved.open();
    await Promise.all([body, ended]);
    expect(seen).toEqual([markdown.at(-1), "completed", "saved", "ended"]);
  });

  it("is waited for by ended(), also if its reader has left or it throws", async () => {
    const saved = gate();
    let isSaved = false;
    const { stream } = await streamOf(markdown.slice(-1));
    const onFinish = async () => {
      await saved.opened;
      isSaved = true;
      throw new Error("no database");
    };
    const reader = stream.toReadableStream({ format, onFinish }).getReader();
    const reading = (async () => {
      while (!(await reader.read()).done);
    })();
    await stream.finalText();
    const ended = stream.ended().then(() => isSaved);
    await reader.cancel();
    await reading;
    saved.open();
    expect(await ended).toBe(true);
  });

  it("that throws ends it as a failure, and the response is complete all the same", async () => {
    const errors: unknown[] = [];
    const { stream } = await streamOf(markdown);
    const onFinish = () => Promise.reject(new Error(`no database, ${secret}`));
    const errorText = (error: unknown) => {
      errors.push(error);
      return "Not saved.";
    };
    const body = stream.toResponse({ format, onFinish, errorText }).text();
    const failure = { name: "StreamFailedError", reason: "onFinish", partialText: textOf(markdown) };
    if (format === "text") await expect(body).rejects.toMatchObject(failure);
    else {
      expect(await body).toContain("Not saved.");
      expect(await body).not.toContain("response_completed");
      expect(errors).toEqual([expect.objectContaining(failure)]);
      expect((errors[0] as Error).cause).toMatchObject({ message: expect.stringContaining("no database, ") });
      expectNoSecret(errors[0]);
    }
    expect(await stream.finalText()).toBe(textOf(markdown));
    expect(await stream.ended()).toMatchObject({ state: "failed", error: failure });
  });

  it("is not called for a response that was cut", async () => {
    const onFinish = vi.fn();
    const { stream } = await streamOf(cut);
    const ended = stream.ended();
    await stream
      .toResponse({ format, onFinish })
      .text()
      .catch(() => {});
    await ended;
    expect(onFinish).not.toHaveBeenCalled();
  });
});

describe("a relay with `metadata: false`", () => {
  const token = "svc_660ee05a705a4b965f2dd7b28065999c6da55ad2";

  it("shows the browser the text and no token, which it would otherwise", async () => {
    const all = [...markdown.slice(0, -1), { event: "trace", more: { context_token: token } }, markdown.at(-1)];
    const relayed = async (options: RelayResponseOptions) => (await streamOf(all)).stream.toResponse(options);
    expect(await (await relayed({})).text()).toContain(token);
    const bare = await (await relayed({ metadata: false })).text();
    expect(bare).not.toContain(token);
    expect(bare).not.toContain("context_token");
    const events = (await collect(readRelay(new Response(bare)))) as ResponseCompleted[];
    expect(events.map(({ event }) => event)).toEqual(all.map((given) => (given as AiEvent).event));
    expect(
      outputsIn(bare)
        .map(({ system }) => system.text_chunk)
        .join(""),
    ).toBe(textOf(markdown));
    expect(events.at(-1)?.system.text).toBe(textOf(markdown));
  });

  it("still says why it failed", async () => {
    const { stream } = await streamOf(markdown.slice(0, 2));
    const last = parse(await stream.toResponse({ metadata: false, errorText: () => "Cut." }).text()).at(-1);
    expect(last?.data).toEqual({ event: "stream_error", kind: "stream_truncated", message: "Cut." });
  });
});

describe("ended() beside a relay", () => {
  it.each<["end" | "stay", object]>([
    ["end", { state: "truncated", error: { kind: "stream_truncated" } }],
    ["stay", { state: "aborted", error: { kind: "abort" } }],
  ])("resolves with the state and the error, once errorText was called (%s)", async (then, outcome) => {
    const seen: string[] = [];
    const { stream } = await streamOf(markdown.slice(0, 3), then);
    const ended = stream.ended().finally(() => seen.push("ended"));
    const body = stream.toResponse({ errorText: ({ kind }) => String(seen.push(kind)) }).text();
    await expect.poll(() => stream.partialText).not.toBe("");
    if (then === "stay") stream.abort();
    expect(await ended).toMatchObject(outcome);
    expect(seen).toEqual([expect.stringMatching(/^(stream_truncated|abort)$/), "ended"]);
    await body;
  });

  it("reports a reader who left, for whom errorText is not called", async () => {
    const errorText = vi.fn();
    const { stream } = await streamOf(markdown.slice(0, 2), "stay");
    const reader = stream.toResponse({ errorText }).body?.getReader();
    await reader?.read();
    const ended = stream.ended();
    await reader?.cancel();
    expect(await ended).toMatchObject({ state: "aborted", error: { kind: "abort" } });
    expect(errorText).not.toHaveBeenCalled();
  });

  it("has no error of a response that is complete", async () => {
    const { stream } = await streamOf(markdown);
    await stream.toResponse().text();
    expect(await stream.ended()).toEqual({ state: "completed", error: undefined, requestId: undefined });
  });
});

describe("an event that cannot be written", () => {
  it("may be a chunk that ends within a character", async () => {
    const chunk = `data: {"event":"response_output","sequence_no":9,"system":{"msg_id":"m","text_chunk":"abc\u0928"},"more":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n\n`;
    const { stream, server } = await streamOf(markdown.slice(0, 1), (response) => void response.write(chunk), {
      stream: { idleTimeout: 5_000, eventTimeout: 5_000 },
    });
    const body = await stream.toResponse().text();
    expect(parse(body).at(-1)).toMatchObject({ name: "stream_error", data: { kind: "stream_failed" } });
    await server.idle();
  });

  const deep = `data: {"event":"trace","more":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n\n`;

  it("ends the stream on both sides with a typed error", async () => {
    const { stream, server } = await streamOf(markdown.slice(0, 2), (response) => void response.write(deep), {
      stream: { idleTimeout: 5_000, eventTimeout: 5_000 },
    });
    const final = stream.finalText();
    const body = await stream.toResponse().text();
    expect(parse(body).at(-1)).toMatchObject({ name: "stream_error", data: { kind: "stream_failed" } });
    await expect(final).rejects.toMatchObject({
      kind: "stream_failed",
      reason: "damagedEvent",
      message: expect.stringContaining("could not be written to the relay: its JSON may nest too deeply. "),
    });
    expect(stream.state).toBe("failed");
    await server.idle();
  });
});
