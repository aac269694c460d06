import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import {
  AbortError,
  ApiError,
  ConnectionError,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
  TimeoutError,
  UnexpectedResponseError,
} from "../../../src/errors/index.ts";
import type { ClientEvent } from "../../../src/index.ts";
import { clientOf, type ErrorClass, errorOf } from "../../support/client.ts";
import { stopClock } from "../../support/clock.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { serve } from "../../support/serve.ts";
import { stalls, startServer } from "../../support/server.ts";

import { framings, hindi, markdown, sample, sse, streamFrom, streamOfBody, surrogates } from "../support.ts";

/** Expects that no way to print an error shows its body. */
function expectNotPrinted(error: unknown, text: string): void {
  expect(Object.keys(error as object)).not.toContain("body");
  for (const print of [String(error), JSON.stringify(error), inspect(error), (error as Error).stack]) {
    expect(print).not.toContain(text);
  }
}

const begin = (response: ServerResponse, contentType = "text/event-stream") =>
  response.writeHead(200, { "content-type": contentType });
const [initiated, first, second] = markdown;
const completed = markdown.at(-1);
const textUpTo = (events: readonly (typeof markdown)[number][]) =>
  events.map((event) => (event.event === "response_output" ? event.system.text_chunk : "")).join("");

describe("the request of a stream (§4.2)", () => {
  it("is sent at the first pull, once, with `stream: true`", async () => {
    const bodies: unknown[] = [];
    const { server, api } = await serve((response, { body }) => {
      bodies.push(JSON.parse(body));
      begin(response).end(markdown.map(sse).join(""));
    });
    const stream = api.ai.stream({
      client_referenceId: "r-1",
      user: { text: "Hello" },
      context_token: "svc_a1",
      // As a program without types may hand it on.
      stream: undefined as unknown as true,
    });
    expect(stream.state).toBe("idle");
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.requests).toHaveLength(0);
    await collect(stream);
    expect(bodies).toEqual([
      { stream: true, client_referenceId: "r-1", user: { text: "Hello" }, context_token: "svc_a1" },
    ]);
    expect(server.requests[0]?.path).toBe("/api/serviceapi-prod/api/ai/create-response");
    expect(server.requests[0]?.headers.accept).toBe("text/event-stream, application/x-ndjson, application/json");
    expect(stream.clientReferenceId).toBe("r-1");
  });

  it("a stream that nobody reads sends nothing and raises nothing", async () => {
    const { server, api } = await serve((response) => response.destroy());
    const stream = api.ai.stream({ user: { text: "Hello" } });
    stream.abort();
    expect(stream.state).toBe("aborted");
    await expect(stream.finalText()).rejects.toMatchObject({
      ...{ name: "AbortError", outcome: "notSent", phase: "credentials" },
      message: "ai.stream: after 0 events, the caller aborted the stream before it was sent.",
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe("ready()", () => {
  it("sends the request, waits for the first event, and leaves it to the reader", async () => {
    const begun = gate<ServerResponse>();
    const { stream, server } = await streamFrom(begun.open);
    const ready = stream.ready();
    const response = await begun.opened;
    response.write(sse(initiated));
    expect(await ready).toBe(stream);
    expect([stream.state, stream.contextToken]).toEqual(["streaming", undefined]);
    response.end(markdown.slice(1).map(sse).join(""));
    expect(await collect(stream)).toEqual(markdown);
    expect(await stream.ready()).toBe(stream);
    expect(server.requests).toHaveLength(1);
  });

  it("waits behind a read that is under way, and a read behind it", async () => {
    const { stream } = await streamFrom((response) => response.end(markdown.map(sse).join("")));
    const reader = stream[Symbol.asyncIterator]();
    const [one, , two] = await Promise.all([reader.next(), stream.ready(), reader.next()]);
    expect([one.value, two.value]).toEqual([initiated, first]);
    await reader.return();
    await expect(stream.ready()).rejects.toMatchObject({ name: "AbortError" });
  });

  it("rejects with the failure before the first event, which a reader then gets too", async () => {
    const { api } = await serve(
      (response) => response.writeHead(429, { "retry-after": "7", "content-type": "application/json" }).end("{}"),
      { maxRetries: 0 },
    );
    const stream = api.ai.stream({ user: { text: "Hello" } });
    await expect(stream.ready()).rejects.toMatchObject({ name: "RateLimitError", retryAfter: 7_000 });
    await expect(stream.finalText()).rejects.toMatchObject({ name: "RateLimitError" });
    const { stream: cut } = await streamFrom((response) => response.end());
    const error = await cut.ready().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(StreamTruncatedError);
    const { error: read } = await collectUntilError(cut);
    expect(read).toBe(error);
  });

  it("resolves for a failure after events, which is for the reader", async () => {
    const { stream } = await streamFrom((response) => response.end(sse(initiated)));
    await stream.ready();
    const { all, error } = await collectUntilError(stream);
    expect([all, error]).toEqual([[initiated], expect.any(StreamTruncatedError)]);
  });
});

describe("every framing over a real connection", () => {
  it.each(Object.entries(framings))("%s", async (_name, { contentType, encode }) => {
    for (const events of [markdown, hindi, surrogates]) {
      const { api } = await serve((response) => {
        response.writeHead(200, contentType === "" ? {} : { "content-type": contentType });
        response.end(encode(events));
      });
      const stream = api.ai.stream({ user: { text: "Hello" } });
      expect(await collect(stream)).toEqual(events);
      expect(stream).toMatchObject({ state: "completed", textMismatch: false, warnings: [] });
      expect(await stream.finalText()).toBe(stream.partialText);
    }
  });

  it("one JSON body is one response_completed", async () => {
    const body = sample<object>("stream-answered-as-one-body.json");
    const server = await startServer((response) => begin(response, "application/json").end(JSON.stringify(body)));
    const stream = clientOf(server).ai.stream({ user: { text: "Hello" } });
    expect(await collect(stream)).toEqual([{ ...body, event: "response_completed" }]);
    expect(stream).toMatchObject({ state: "completed", textMismatch: false });
    expect(await collect(clientOf(server).ai.stream({ user: { text: "Hello" } }).textStream)).toEqual([
      "The gateway ignored stream:true.",
    ]);
  });

  it("an SSE event whose name is outside its data", async () => {
    const { stream } = await streamFrom((response) => {
      for (const { event, ...rest } of markdown) response.write(`event: ${String(event)}\n${sse(rest)}`);
    });
    expect((await collect(stream)).map(({ event }) => event)).toEqual(markdown.map(({ event }) => event));
  });
});

describe("the five endings", () => {
  it("completed: ends at response_completed, and closes a connection that the server keeps open", async () => {
    const { stream, server } = await streamFrom((response) => response.write(markdown.map(sse).join("")));
    expect(await collect(stream)).toEqual(markdown);
    expect(stream.state).toBe("completed");
    await server.idle();
  });

  it("failed: an event of the service reports it", async () => {
    const events = sample("stream-failed-midway.events.json");
    const { stream, server } = await streamFrom((response) => response.write(events.map(sse).join("")));
    const { all, error } = await collectUntilError(stream, StreamFailedError);
    expect(all).toEqual(events.slice(0, -1));
    expect(error).toMatchObject({
      reason: "failed",
      statusCode: "500",
      serviceMessage: "Generation stopped.",
      partialText: "# Fare quote in ",
      contextToken: "svc_8251b1dc9756c7f26c352900181b1d1d21e83819",
      events: 5,
      outcome: "unknown",
      operation: "ai.stream",
    });
    expect(stream.state).toBe("failed");
    await server.idle();
  });

  it.each(["SSE with LF", "NDJSON", "a JSON array"] as const)("failed: FAILED first, as %s", async (name) => {
    const { contentType, encode } = framings[name];
    const event = { event: "response_failed", status: "failed", statusCode: 429, message: "Slow down" };
    const { api } = await serve((response) => begin(response, contentType).end(encode([event])));
    const { all, error } = await collectUntilError(api.ai.stream({ user: { text: "Hello" } }), StreamFailedError);
    expect(all).toEqual([]);
    expect(error).toMatchObject({ reason: "failed", statusCode: "429", events: 0, partialText: "" });
  });

  it("truncated: the connection ends well before response_completed", async () => {
    const events = sample("stream-truncated.events.json");
    const { stream } = await streamFrom((response) => response.end(events.map(sse).join("")));
    const { all, error } = await collectUntilError(stream, StreamTruncatedError);
    expect(all).toEqual(events);
    expect(error).toMatchObject({
      partialText: textUpTo(events),
      contextToken: "svc_90249c57f5469a18bde90d3d7684f0c91c314746",
      events: events.length,
      outcome: "unknown",
    });
    expect(stream.state).toBe("truncated");
  });

  it("truncated: the connection breaks", async () => {
    const { stream, server } = await streamFrom((response) => {
      response.write(sse(initiated) + sse(first) + sse(second).slice(0, 40), () => response.destroy());
    });
    const { all, error } = await collectUntilError(stream, StreamTruncatedError);
    expect(all).toEqual([initiated, first]);
    expect(error).toMatchObject({ partialText: textUpTo([...all]), cause: expect.any(Error) });
    await server.idle();
  });

  it("truncated: a response without a body", async () => {
    const { error } = await collectUntilError(streamOfBody(null), StreamTruncatedError);
    expect(error).toMatchObject({ events: 0, partialText: "", contextToken: undefined });
  });

  it("truncated: `[DONE]` before response_completed", async () => {
    const { stream } = await streamFrom((response) => response.write(`${sse(initiated)}data: [DONE]\n\n`));
    expect((await collectUntilError(stream)).error).toBeInstanceOf(StreamTruncatedError);
  });

  it("stalled: no byte within stream.idleTimeout", async () => {
    const { stream, server } = await streamFrom((response) => response.write(sse(initiated) + sse(first)), {
      stream: { idleTimeout: 40 },
    });
    const { all, error } = await collectUntilError(stream, StreamStalledError);
    expect(all).toEqual([initiated, first]);
    expect(error).toMatchObject({ deadline: "idle", timeout: 40, partialText: textUpTo([...all]), events: 2 });
    expect(stream.state).toBe("stalled");
    await server.idle();
  });

  it("stalled: heartbeats alone do not keep it open (stream.eventTimeout)", async () => {
    const { stream, server } = await streamFrom(
      (response) => {
        response.write(sse(initiated));
        const beat = setInterval(() => response.write(": still here\n\ndata:\n\n"), 5);
        response.on("close", () => clearInterval(beat));
      },
      { stream: { eventTimeout: 80, idleTimeout: 1_000 } },
    );
    expect((await collectUntilError(stream)).error).toMatchObject({ deadline: "event", timeout: 80, events: 1 });
    await server.idle();
  });

  it("stalled: events for longer than stream.timeout", async () => {
    const { stream } = await streamFrom(
      (response) => {
        let n = 0;
        const chunk = () => response.write(sse({ ...first, sequence_no: ++n }));
        const beat = setInterval(chunk, 5);
        response.on("close", () => clearInterval(beat));
      },
      { stream: { timeout: 100 } },
    );
    expect((await collectUntilError(stream)).error).toMatchObject({ deadline: "stream", timeout: 100 });
  });

  it("the client's deadlines apply if the stream sets none, and `false` disables one", async () => {
    let end = () => {};
    const answer = (response: ServerResponse) => {
      response.write(sse(initiated));
      end = () => response.end(sse(completed));
    };
    const { stream } = await streamFrom(answer, {}, { stream: { idleTimeout: 20 } });
    expect((await collectUntilError(stream)).error).toMatchObject({ deadline: "idle", timeout: 20 });
    stopClock("setTimeout", "clearTimeout", "performance");
    const { stream: patient } = await streamFrom(
      answer,
      { stream: { idleTimeout: false } },
      { stream: { idleTimeout: 20 } },
    );
    const iterator = patient[Symbol.asyncIterator]();
    await iterator.next();
    const last = iterator.next();
    await vi.advanceTimersByTimeAsync(60);
    end();
    expect((await last).value).toEqual(completed);
    await iterator.next();
  });

  it("a slow consumer is not a stall", async () => {
    const { stream } = await streamFrom(
      (response) => {
        for (const event of markdown) response.write(sse(event));
      },
      { stream: { idleTimeout: 30, eventTimeout: 30 } },
    );
    const events: unknown[] = [];
    for await (const event of stream) {
      if (events.push(event) <= 2) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(events).toEqual(markdown);
  });

  it.each(["while an event is awaited", "between two pulls"])("aborted: by the caller's signal %s", async (when) => {
    const controller = new AbortController();
    const { stream, server } = await streamFrom((response) => response.write(sse(initiated) + sse(first)), {
      signal: controller.signal,
    });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    const pending = when === "between two pulls" ? undefined : iterator.next();
    controller.abort("enough");
    const error = await (pending ?? iterator.next()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({
      reason: "enough",
      phase: "stream",
      outcome: "unknown",
      partialText: textUpTo(markdown.slice(0, 2)),
      contextToken: stream.contextToken,
      events: 2,
    });
    expect(stream.state).toBe("aborted");
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    await server.idle();
  });

  it("aborted: after garbage collection too (nodejs/undici#3644)", async () => {
    for (let i = 0; i < 5; i++) {
      const controller = new AbortController();
      const { stream, server } = await streamFrom((response) => response.write(sse(initiated)), {
        signal: controller.signal,
      });
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      const pending = iterator.next();
      await new Promise((resolve) => setImmediate(resolve));
      if (globalThis.gc === undefined) throw new Error("these tests run with --expose-gc");
      globalThis.gc();
      await new Promise((resolve) => setImmediate(resolve));
      controller.abort();
      await expect(pending).rejects.toBeInstanceOf(AbortError);
      await server.idle();
    }
  });

  it("aborted: by a signal that was aborted before", async () => {
    const { server, api } = await serve((response) => response.end());
    const signal = AbortSignal.abort("early");
    const stream = api.ai.stream({ user: { text: "Hello" } }, { signal });
    await expect(collect(stream)).rejects.toMatchObject({ name: "AbortError", outcome: "notSent" });
    expect(server.requests).toHaveLength(0);
  });

  it("calls `onEvent` with the one ending, and without the text", async () => {
    const told: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => told.push(event);
    const { stream } = await streamFrom((response) => response.end(markdown.map(sse).join("")), {}, { onEvent });
    await collect(stream);
    expect(told.filter(({ type }) => type === "stream")).toEqual([
      expect.objectContaining({ type: "stream", end: "completed", events: markdown.length, operation: "ai.stream" }),
    ]);
    expect(JSON.stringify(told)).not.toContain("Fare quote");
  });

  it.each([
    ["that broke off, as an error", (response: ServerResponse) => response.end(sse(initiated)), ["error stream"]],
    [
      "that completed, as information",
      (response: ServerResponse) => response.end(markdown.map(sse).join("")),
      ["info stream"],
    ],
  ])("logs a stream %s", async (_, respond, expected) => {
    const lines: string[] = [];
    const write = (level: string) => (line: string) => lines.push(`${level} ${line.split(" ").at(-1)}`);
    const logger = { error: write("error"), warn: write("warn"), info: write("info"), debug: write("debug") };
    const { stream } = await streamFrom(respond, {}, { log: { logger, level: "info" } });
    await collectUntilError(stream).catch(() => {});
    expect(lines.filter((line) => line.endsWith("stream"))).toEqual(expected);
  });

  it("has an error with the fields of its class, and no other", async () => {
    const { stream } = await streamFrom((response) => response.end(sse(initiated)));
    const { error } = await collectUntilError(stream);
    const known =
      "attempts clientReferenceId contextToken events isRetryable kind outcome operation partialText requestId";
    expect(Object.keys(error as object).filter((name) => !known.split(" ").includes(name))).toEqual([]);
  });
});

describe("a response that is not a stream", () => {
  const read = async <E extends Error>(
    errorClass: ErrorClass<E>,
    status: number,
    contentType: string,
    body: string,
  ) => {
    const { api } = await serve((response) => {
      response.writeHead(status, { "content-type": contentType });
      response.end(body);
    });
    const stream = api.ai.stream({ user: { text: "Hello" } });
    const error = await errorOf(collect(stream), errorClass);
    expect(stream.state).toBe("failed");
    return error;
  };

  it("HTTP 404 with a FAILED body is the service's refusal", async () => {
    const body = JSON.stringify(sample("response-failed-expired-context.json"));
    const error = await read(ApiError, 404, "application/json", body);
    expect(error).toMatchObject({ httpStatus: 404, statusCode: "404", outcome: "rejected" });
  });

  it("a FAILED body under HTTP 200 is the service's refusal", async () => {
    const error = await read(ApiError, 200, "application/json", JSON.stringify(sample("response-failed-200.json")));
    expect(error).toMatchObject({ statusCode: "400", serviceMessage: "Response generation failed." });
  });

  it.each([
    ["text/html", "<html><b>Bad gateway</b></html>", "html"],
    ["text/event-stream", "<html><b>Bad gateway</b></html>", "html"],
    ["text/plain", "upstream connect error", "notJson"],
    ["application/json", "null", "notObject"],
  ])("HTTP 200, %s: %j", async (contentType, body, reason) => {
    const error = await read(UnexpectedResponseError, 200, contentType, body);
    expect(error).toMatchObject({ reason, preview: body });
    expect(String(error)).not.toContain(body);
  });

  it("no connection", async () => {
    const { server, api } = await serve(stalls, { maxRetries: 0 });
    await server.close();
    const stream = api.ai.stream({ user: { text: "Hello" } });
    const { error } = await collectUntilError(stream, ConnectionError);
    expect(error).toMatchObject({ outcome: "notSent" });
  });

  it("headers that do not arrive within `timeout`", async () => {
    const { api } = await serve(stalls);
    const stream = api.ai.stream({ user: { text: "Hello" } }, { timeout: 30 });
    const { error } = await collectUntilError(stream, TimeoutError);
    expect(error).toMatchObject({ deadline: "attempt", phase: "headers", timeout: 30 });
  });
});

describe("damage", () => {
  const text = "secret text";
  const limit = 2_000;
  const shapeless = { event: "response_output", sequence_no: 9, system: { note: text } };
  const textless = { ...completed, system: { note: text } };
  const notUtf8 = Buffer.concat([Buffer.from(`data: ${text}`), Buffer.from([0xc3, 0x28])]);

  it.each<[string, string, string | Buffer, unknown]>([
    ["an event could not be read: it is not JSON.", "damagedEvent", `data: {"${text}"\n\n`, `{"${text}"`],
    ["an event could not be read: it is not a JSON object.", "damagedEvent", `data: ["${text}"]\n\n`, `["${text}"]`],
    ["an event could not be read: it is not UTF-8.", "damagedEvent", notUtf8, undefined],
    [
      "an event could not be read: it has no `event` and is not a whole response.",
      "damagedEvent",
      sse({ note: text }),
      { note: text },
    ],
    ["an event could not be read: system.text_chunk is missing.", "damagedEvent", sse(shapeless), shapeless],
    ["an event could not be read: system.text is missing.", "damagedEvent", sse(textless), textless],
    [
      `an event was larger than ${limit} bytes. Raise \`stream.maxEventBytes\` if you expect such events.`,
      "tooLarge",
      `data: ${text.repeat(limit)}`,
      undefined,
    ],
  ])("%s The text before it is kept, and `body` is never printed", async (why, reason, bytes, body) => {
    const respond = (response: ServerResponse) => {
      response.write(sse(initiated) + sse(first));
      response.end(bytes);
    };
    const { stream } = await streamFrom(respond, { stream: { maxEventBytes: limit } });
    const { all, error } = await collectUntilError(stream, StreamFailedError);
    expect(all).toEqual([initiated, first]);
    expect(error).toMatchObject({ reason, partialText: textUpTo(markdown.slice(0, 2)), events: 2 });
    expect((error as StreamFailedError).message).toContain(`ai.stream: after 2 events, ${why} `);
    expect((error as StreamFailedError).body).toEqual(body);
    expectNotPrinted(error, text);
  });

  it("an event that says FAILED is in `body` as well, and is never printed", async () => {
    const failed = { event: "response_failed", status: "FAILED", status_code: "500", note: text };
    const { stream } = await streamFrom((response) => response.end(sse(initiated) + sse(failed)));
    const { error } = await collectUntilError(stream);
    expect(error).toMatchObject({ reason: "failed", events: 1, body: failed });
    expectNotPrinted(error, text);
  });

  it.each([
    ["a line that ends inside a value", `{"event":"${text}","note":\n`],
    ["what stands between two values", `x${text}`],
  ])("`body` of JSON lines holds %s as text", async (_case, bytes) => {
    const respond = (response: ServerResponse) => response.end(`${JSON.stringify(initiated)}\n${bytes}`);
    const { stream } = await streamFrom(respond, {}, {}, "application/x-ndjson");
    const { error } = await collectUntilError(stream);
    expect(error).toMatchObject({ reason: "damagedEvent", body: bytes });
    expectNotPrinted(error, text);
  });

  it.each(["response_reasoning", "__proto__", "constructor", "toString", ""])(
    "an event named %j is passed on and ends nothing",
    async (event) => {
      const unknown = { event, note: "new kind of event" };
      const { stream } = await streamFrom((response) => {
        response.end(sse(initiated) + sse(unknown) + sse(completed));
      });
      expect(await collect(stream)).toEqual([initiated, unknown, completed]);
      expect(Object.prototype).not.toHaveProperty("note");
    },
  );

  it("a harmless difference is reported once, and the event is passed on", async () => {
    const told: ClientEvent[] = [];
    const odd = [1, 2, 3].map((n) => ({ ...first, status_code: 206, sequence_no: n }));
    const answer = (response: ServerResponse) => {
      response.end([initiated, ...odd, completed].map(sse).join(""));
    };
    const { stream } = await streamFrom(answer, {}, { onEvent: (event) => told.push(event) });
    expect(await collect(stream)).toHaveLength(5);
    expect(stream.warnings).toEqual([
      { path: ["response_output", "status_code"], message: "must be a string, is a number", code: "invalid_type" },
    ]);
    expect(told.filter(({ type }) => type === "drift")).toHaveLength(1);

    const { stream: strict } = await streamFrom(answer, { validation: { response: "strict" } });
    expect((await collectUntilError(strict)).error).toMatchObject({ reason: "damagedEvent" });

    const { stream: off } = await streamFrom(answer, { validation: { response: "off" } });
    expect(await collect(off)).toHaveLength(5);
    expect(off.warnings).toEqual([]);
  });

  it("without validation, no shape of an event breaks the stream", async () => {
    const { stream } = await streamFrom(
      (response) =>
        response.end(sse({ event: "response_output" }) + sse({ event: "response_completed", system: null })),
      { validation: { response: "off" } },
    );
    expect(await stream.finalText()).toBe("");
  });
});
