import { describe, expect, it, vi } from "vitest";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import { unusable } from "../../../src/ai/stream/stream-errors.ts";
import { StreamSession } from "../../../src/ai/stream/stream-session.ts";
import { type ClientEvent, type ClientOptions, ServiceApi, type StreamOptions } from "../../../src/index.ts";
import { clientOf, nowhere } from "../../support/client.ts";
import { stopClock } from "../../support/clock.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { chunk, completed, initiated, sseBody } from "../events.ts";

const headers = { "content-type": "text/event-stream", "x-request-id": "req-7" };

/** A stream from a `fetch` of the caller. */
function streamFrom(fetch: ClientOptions["fetch"], options?: StreamOptions, client: ClientOptions = {}): AiStream {
  const credentials = { baseUrl: "https://api.example.com", clientId: "id", clientSecret: "a-long-secret" };
  const api = new ServiceApi({ ...credentials, retryDelay: () => 0, ...client, ...(fetch && { fetch }) });
  return api.ai.stream({ user: { text: "Hello" }, client_referenceId: "r-1" }, options);
}

const answering = (body: BodyInit) => async () => new Response(body, { headers });
const sse = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const wholeEvents = [initiated(), chunk(1, "fare "), chunk(2, "quote"), completed("fare quote")];
const whole = sse(...wholeEvents);
const failed = (code?: unknown) => sse(initiated(), { status: "FAILED", status_code: code });

/** A body of these events, which sends nothing more. */
const silentAfter = (...events: readonly object[]) => sseBody(events, "stay");

/** A body that begins like this, and goes on with comments. */
function beatingAfter(text: string): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout;
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(text));
      timer = setInterval(() => controller.enqueue(encoder.encode(": beat\n\n")), 5);
    },
    cancel: () => clearInterval(timer),
  });
}

describe("a `fetch` whose result is not a response", () => {
  const broken = {
    status: 200,
    headers: new Headers(),
    body: null,
    toResponse() {
      throw new Error("not a response");
    },
  };

  it("is a typed error, also if it throws when it is to become one", async () => {
    const { error } = await collectUntilError(streamFrom(async () => broken as never));
    expect(error).toMatchObject({ name: "ConfigurationError", outcome: "unknown" });
  });
});

describe("the message of each ending says what happened", () => {
  const held = "`partialText` and `contextToken` hold what was received. Request ID: req-7.";

  it.each<[string, () => BodyInit, StreamOptions, string]>([
    ["a refusal with a code", () => failed("429"), {}, "the service reported FAILED (code 429)."],
    ["one without a code", () => failed(), {}, "the service reported FAILED."],
    ["one with a sentence as its code", () => failed("4 2 9"), {}, "the service reported FAILED."],
    ["one with a long code", () => failed("4".repeat(21)), {}, "the service reported FAILED."],
    ["a cut", () => sse(initiated()), {}, "the response ended before response_completed."],
    [
      "silence",
      () => silentAfter(initiated()),
      { stream: { idleTimeout: 10 } },
      "no bytes arrived within 10 ms (`stream.idleTimeout`).",
    ],
    [
      "comments alone",
      () => beatingAfter(sse(initiated())),
      { stream: { eventTimeout: 20 } },
      "no event arrived within 20 ms (`stream.eventTimeout`).",
    ],
    [
      "a response without an end",
      () => beatingAfter(sse(initiated())),
      { stream: { timeout: 30 } },
      "the response was not complete within 30 ms (`stream.timeout`).",
    ],
  ])("%s", async (_case, body, options, what) => {
    stopClock();
    const iterator = streamFrom(async () => new Response(body(), { headers }), options)[Symbol.asyncIterator]();
    await iterator.next();
    const error = iterator.next().catch((thrown: unknown) => thrown);
    await vi.advanceTimersByTimeAsync(30);
    expect(await error).toMatchObject({ message: `ai.stream: after 1 event, ${what} ${held}`, requestId: "req-7" });
  });

  it("an abort", async () => {
    const stream = streamFrom(answering(silentAfter(initiated(), chunk(1, "fare "))));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    stream.abort();
    await expect(iterator.next()).rejects.toThrow(`ai.stream: after 2 events, the caller aborted the stream. ${held}`);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("the names of a stream", () => {
  it("are there once the response has begun, and stay", async () => {
    const stream = streamFrom(answering(whole));
    expect([stream.requestId, stream.clientReferenceId, stream.warnings]).toEqual([undefined, undefined, []]);
    await stream[Symbol.asyncIterator]().next();
    expect([stream.requestId, stream.clientReferenceId]).toEqual(["req-7", "r-1"]);
  });

  it("are those of the error if the call fails", async () => {
    const stream = streamFrom(async () => new Response("{}", { status: 400, headers: { "x-request-id": "req-8" } }));
    await expect(stream.finalText()).rejects.toThrow();
    expect([stream.requestId, stream.clientReferenceId, stream.warnings]).toEqual(["req-8", "r-1", []]);
  });
});

describe("an abort while the call becomes a stream", () => {
  const whenAnswered = (act: () => void): ClientOptions => ({
    onEvent: ({ type }) => {
      if (type === "response") act();
    },
  });

  it("by `abort`", async () => {
    let stream: AiStream | undefined;
    const client = whenAnswered(() => stream?.abort(new Error("enough")));
    stream = streamFrom(answering(silentAfter(...wholeEvents)), {}, client);
    const { error } = await collectUntilError(stream);
    expect([stream.state, Object(error).name]).toEqual(["aborted", "AbortError"]);
  });

  it("by the caller's signal", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const stream = streamFrom(
      answering(silentAfter(...wholeEvents)),
      { signal },
      whenAnswered(() => controller.abort()),
    );
    const { error } = await collectUntilError(stream);
    expect([stream.state, Object(error).name]).toEqual(["aborted", "AbortError"]);
  });
});

describe("the end of a stream", () => {
  it.each<[string, () => BodyInit, boolean]>([
    ["a whole response", () => whole, false],
    ["a refusal", () => failed("429"), true],
    ["a cut", () => sse(initiated()), true],
    ["silence", () => silentAfter(initiated()), true],
    ["a whole response that does not end", () => beatingAfter(whole), true],
  ])("aborts the signal of its request unless that has ended well: %s", async (_case, body, isAborted) => {
    let signal: AbortSignal | null | undefined;
    const fetch: ClientOptions["fetch"] = async (_url, init) => {
      signal = init?.signal;
      return new Response(body(), { headers });
    };
    await collect(streamFrom(fetch, { stream: { idleTimeout: 20 } })).catch(() => {});
    await expect.poll(() => signal?.aborted).toBe(isAborted);
  });

  it("is reported once, with its duration", async () => {
    const reported: ClientEvent[] = [];
    stopClock("performance");
    const body = new ReadableStream(
      {
        pull(controller) {
          vi.advanceTimersByTime(20);
          controller.enqueue(new TextEncoder().encode(whole));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const stream = streamFrom(answering(body), {}, { onEvent: (event) => reported.push(event) });
    await collect(stream);
    stream.abort();
    const [end, ...more] = reported.filter(({ type }) => type === "stream");
    expect(end).toMatchObject({ end: "completed", events: 4, duration: 20 });
    expect(more).toEqual([]);
  });

  it("is reported with what its error says, and as information if its reader left", async () => {
    const lines: unknown[] = [];
    const write = (level: string) => (line: string, fields?: object) => {
      if (line.endsWith(" stream")) lines.push({ level, ...fields });
    };
    const logger = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
    const begun = (body: BodyInit) => streamFrom(answering(body), {}, { log: { logger, level: "info" } });
    await collectUntilError(begun(sse(initiated())));
    for await (const _event of begun(silentAfter(initiated()))) break;
    const both = { requestId: "req-7", outcome: "unknown", events: 1 };
    expect(lines).toMatchObject([
      { level: "error", kind: "stream_truncated", ...both },
      { level: "info", kind: "abort", ...both },
    ]);
  });

  const idle = () => {
    const ends: unknown[] = [];
    const client = clientOf(nowhere);
    const request = () => expect.unreachable();
    return { session: new StreamSession({ client, request, onEnd: (end) => ends.push(end) }), ends };
  };

  const happened = "an event could not be read: it has no end.";
  const unreadable = unusable("damagedEvent", happened);

  it("comes once, whoever brings it about", () => {
    const { session, ends } = idle();
    session.abort();
    session.abort();
    const { error } = session;
    session.refuse(unreadable);
    expect([session.state, session.error === error, ends]).toEqual(["aborted", true, [undefined]]);
  });

  it("of an event that its reader cannot use is thrown by `refuse` alone", async () => {
    const { session, ends } = idle();
    expect(session.refuse(unreadable).message).toContain(happened);
    expect([session.state, ends]).toEqual(["failed", [undefined]]);
    expect(await session.next()).toEqual({ done: true, value: undefined });
  });
});
