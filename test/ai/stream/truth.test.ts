import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { isKnownAiEvent } from "../../../src/ai/events.ts";
import type { ResponseCompleted, ResponseOutput } from "../../../src/ai/types.ts";
import {
  AbortError,
  ApiError,
  InvalidRequestError,
  RequestInProgressError,
  ServiceApiError,
  StreamFailedError,
  StreamTruncatedError,
} from "../../../src/errors/index.ts";
import { clientOf, errorOf } from "../../support/client.ts";
import { block } from "../../support/clock.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { expectNoSecret, secret } from "../../support/secrets.ts";
import { serve } from "../../support/serve.ts";

import { chunk } from "../events.ts";
import { type FramingSample, framings, markdown, sse, streamFrom, streamOfBody } from "../support.ts";

const request = { user: { text: "Hello" } };
const line = (event: unknown) => `${JSON.stringify(event)}\n`;
const [initiated, first] = markdown;
const completed = markdown.at(-1) as ResponseCompleted;
const { context_token } = completed;
const whole = { status: "SUCCESS", context_token: "svc_other", system: { msg_id: "m", text: "Something else." } };

const sseStream = (...frames: readonly string[]) => streamFrom((response) => response.end(frames.join("")));

/** The error with which a stream of these events ends. */
const sseError = async (...frames: readonly string[]) => errorOf(collect((await sseStream(...frames)).stream));
/** The same, if it has to say that the stream failed. */
const sseFailure = async (...frames: readonly string[]) =>
  errorOf(collect((await sseStream(...frames)).stream), StreamFailedError);

describe("only the first event of a body may be a whole response without a name", () => {
  it("one with another name is an unknown event, and ends nothing", async () => {
    for (const place of [0, 1, 2]) {
      const before = [initiated, first].slice(0, place).map(sse);
      const { stream } = await sseStream(...before, sse(whole, "response_snapshot"), sse(completed));
      expect((await collect(stream)).slice(place)).toEqual([{ ...whole, event: "response_snapshot" }, completed]);
      expect(stream).toMatchObject({ state: "completed", contextToken: context_token });
    }
  });

  it.each(["keepalive", "1732", "null", "[]"])("nor does %s under another name, as of a heartbeat", async (data) => {
    const beat = `event: ping\ndata: ${data}\n\n`;
    const { stream } = await sseStream(beat, sse(initiated), beat, sse(first), beat, sse(completed), beat);
    expect(await collect(stream)).toEqual([initiated, first, completed]);
    for (const name of ["response_output", "message", "error"]) {
      const error = await sseError(sse(initiated), `event: ${name}\ndata: ${data}\n\n`, sse(completed));
      expect(error).toMatchObject({ kind: "stream_failed", reason: "damagedEvent" });
    }
  });

  it("nor does it if the response is cut after it", async () => {
    const error = await sseError(sse(initiated), sse(first), sse(whole, "response_snapshot"));
    expect(error).toBeInstanceOf(StreamTruncatedError);
    expect(error).toMatchObject({ partialText: "# ", events: 3 });
  });

  it.each([
    ["as a line of its own", "application/x-ndjson", line],
    ["as an SSE event", "text/event-stream", sse],
  ] as const)("one without a name in mid-stream is damage, and completes nothing: %s", async (_case, type, encode) => {
    const { stream } = await streamFrom(
      (response) => response.end([initiated, first, whole, completed].map((event) => encode(event)).join("")),
      {},
      {},
      type,
    );
    const { all, error } = await collectUntilError(stream, StreamFailedError);
    expect(all).toEqual([initiated, first]);
    expect(error).toMatchObject({ reason: "damagedEvent", body: whole, partialText: "# ", events: 2 });
    expect(stream.state).toBe("failed");
  });

  it("nor does one under `event: message` in mid-stream", async () => {
    const { stream } = await sseStream(sse(initiated), sse(whole, "message"), sse(completed));
    expect(await collect(stream)).toEqual([initiated, { ...whole, event: "message" }, completed]);
    expect(await stream.finalText()).toBe(completed.system.text);
  });

  it.each([
    ["without a name", undefined],
    ["under `event: message`, as SSE calls what has none", "message"],
  ])("a lone one completes: %s", async (_case, name) => {
    const { stream } = await sseStream(sse(whole, name));
    expect(await collect(stream)).toEqual([{ ...whole, event: "response_completed" }]);
    expect(stream).toMatchObject({ state: "completed", partialText: whole.system.text, contextToken: "svc_other" });
  });
});

describe("the status of an event is read as on every other operation", () => {
  it("and that of an event which the document does not show, without its code", async () => {
    const unknown = { event: "response_note", status: "ERROR", status_code: "500" };
    const error = await sseFailure(
      sse(initiated),
      sse(unknown),
      sse({ ...unknown, status: " failed " }),
      sse(completed),
    );
    expect(error).toMatchObject({ reason: "failed", statusCode: "500", events: 2 });
  });

  it("and its name outside the data, if the one inside is not a string", async () => {
    const { stream } = await sseStream(sse({ ...first, event: 5 }, "response_output"), sse(completed));
    expect(await collect(stream)).toEqual([first, completed]);
  });

  it.each([
    ["ERROR", "500"],
    ["FAILED", "500"],
    ["failed", "429"],
    ["BAD_REQUEST_ERROR", "400"],
  ])("a response_completed with status %s and code %s does not complete the stream", async (status, status_code) => {
    const body = { ...completed, status, status_code, message: "Generation stopped." };
    const error = await sseFailure(sse(initiated), sse(first), sse(body));
    expect(error).toMatchObject({
      reason: "failed",
      statusCode: status_code,
      serviceMessage: "Generation stopped.",
      body,
      outcome: "unknown",
      partialText: "# ",
      events: 2,
    });
  });

  it.each(["PROCESSING", "PENDING", "pending"])("nor does one with status %s", async (status) => {
    const body = { ...completed, status };
    const error = await sseFailure(sse(initiated), sse(body));
    expect(error).toMatchObject({ reason: "damagedEvent", body, events: 1 });
    expect(String(error)).toContain("status is not SUCCESS");
  });

  it("a single JSON body with a code of 400 is the refusal that it is elsewhere", async () => {
    const body = { status: "BAD_REQUEST_ERROR", statusCode: 400, message: "The text is missing." };
    const { stream } = await streamFrom((response) => response.end(JSON.stringify(body)), {}, {}, "application/json");
    const { error } = await collectUntilError(stream, InvalidRequestError);
    expect(error).toMatchObject({ statusCode: "400", serviceMessage: "The text is missing.", body });
    expect(String(error)).toContain("The text is missing.");
    expect(stream.state).toBe("failed");
  });

  it("a single JSON body that is PENDING is one of a request in progress", async () => {
    const body = { status: "PENDING", status_code: "102", message: "Later." };
    const { stream } = await streamFrom((response) => response.end(JSON.stringify(body)), {}, {}, "application/json");
    expect(await errorOf(collect(stream), RequestInProgressError)).toMatchObject({
      outcome: "unknown",
      serviceMessage: "Later.",
    });
    expect(stream.state).toBe("failed");
  });

  it("an unknown event ends nothing for its code alone; for FAILED it does", async () => {
    const note = { event: "response_note", status: "WARNING", status_code: "500" };
    const { stream } = await sseStream(sse(initiated), sse(note), sse(completed));
    const events = await collect(stream);
    expect(events).toEqual([initiated, note, completed]);
    expect(events.map(isKnownAiEvent)).toEqual([true, false, true]);
    const said = { ...note, status: "FAILED" };
    expect(await sseError(sse(initiated), sse(said))).toMatchObject({
      reason: "failed",
      statusCode: "500",
      body: said,
    });
  });
});

describe("the framing does not decide the class of a refusal", () => {
  const refusals = [
    ["208", "unknown"],
    ["400", "rejected"],
    ["401", "rejected"],
    ["403", "rejected"],
    ["404", "rejected"],
    ["409", "unknown"],
    ["422", "rejected"],
    ["429", "rejected"],
    ["500", "unknown"],
    ["503", "unknown"],
  ] as const;
  const body = (status_code: string) => ({ status: "FAILED", status_code, message: "Not this one." });
  const named = (name: string): FramingSample => ({
    contentType: "text/event-stream",
    encode: (events) => events.map((event) => sse(event, name)).join(""),
  });
  const all = {
    ...framings,
    "SSE under `event: error`": named("error"),
    "SSE under `event: message`": named("message"),
    "SSE under `event: failure`": named("failure"),
  };

  async function refusalOf({ contentType, encode }: FramingSample, event: object, httpStatus = 200) {
    const { api } = await serve(
      (response) => {
        response.writeHead(httpStatus, { "content-type": contentType }).end(encode([event]));
      },
      { maxRetries: 0 },
    );
    const stream = api.ai.stream(request);
    const { error } = await collectUntilError(stream, ApiError);
    expect(stream.state).toBe("failed");
    const { name, kind, outcome, isRetryable, statusCode, serviceMessage, attempts } = error as ApiError;
    return { name, kind, outcome, isRetryable, statusCode, serviceMessage, attempts, body: (error as ApiError).body };
  }

  const json = { contentType: "application/json", encode: ([only]: readonly unknown[]) => JSON.stringify(only) };

  it.each([400, 401, 404, 409, 429, 503])("under HTTP %i", async (status) => {
    const event = body(String(status));
    const expected = await refusalOf(json, event, status);
    for (const [name, framing] of Object.entries(all)) {
      expect([name, await refusalOf(framing, event, status)]).toEqual([name, expected]);
    }
  });

  it.each<[string, string]>([
    ["outside the data", sse({ time: 1_732_000_000 }, "ping")],
    ["in the data", sse({ event: "heartbeat", time: 1_732_000_000 })],
  ])("nor does a heartbeat before it, whose name is %s, unless it brings a token", async (_case, beat) => {
    for (const [code, outcome] of refusals) {
      const { name, kind } = await refusalOf(json, body(code));
      const error = await sseError(beat, beat, sse(body(code)));
      expect(error).toMatchObject({ name, kind, outcome, statusCode: code });
      const late = await sseError(beat, sse({ context_token }, "ping"), sse(body(code)));
      expect(late).toMatchObject({ kind: "stream_failed", outcome: "unknown", statusCode: code });
    }
    const { stream } = await sseStream(beat, sse(whole));
    expect((await collect(stream)).at(-1)).toEqual({ ...whole, event: "response_completed" });
  });

  it.each(refusals)("of code %s in the first frame: its outcome is %s", async (code, outcome) => {
    const event = body(code);
    const expected = await refusalOf(json, event);
    expect(expected).toMatchObject({ outcome, statusCode: code, body: event });
    for (const [name, framing] of Object.entries(all)) {
      expect([name, await refusalOf(framing, event)]).toEqual([name, expected]);
    }
  });

  it("nor whether it is an event: a name outside the data is as good as one in it", async () => {
    const inside = await sseFailure(sse({ event: "response_failed", ...body("401") }));
    const outside = await sseFailure(sse(body("401"), "response_failed"));
    for (const error of [inside, outside]) {
      expect(error).toMatchObject({ reason: "failed", statusCode: "401", outcome: "rejected", events: 0 });
    }
  });

  it("nor that of a request in progress", async () => {
    const event = { status: "PENDING", status_code: "102", message: "Later." };
    const expected = expect.objectContaining({ name: "RequestInProgressError", outcome: "unknown" });
    for (const [name, framing] of Object.entries(all)) {
      // Under such a name it is an unknown event, which may be pending.
      if (/error|failure/.test(name)) continue;
      expect([name, await refusalOf(framing, event)]).toEqual([name, expected]);
    }
  });
});

describe("a stream that FAILED has the outcome of what failed", () => {
  const failed = (status_code: string) => ({ event: "response_failed", status: "FAILED", status_code, message: "No." });
  const note = { event: "response_note", status: "WARNING" };
  const { context_token: _, ...tokenless } = initiated as unknown as Record<string, unknown>;

  it.each([
    ["429", "rejected"],
    ["404", "rejected"],
    ["208", "unknown"],
    ["409", "unknown"],
    ["500", "unknown"],
    ["503", "unknown"],
  ])("before a token or a chunk has come, that of the refusal: %s", async (code, outcome) => {
    for (const before of [[], [note], [tokenless]]) {
      const error = await sseFailure(...[...before, failed(code)].map(sse));
      expect(error).toMatchObject({ reason: "failed", outcome, isRetryable: false, statusCode: code });
    }
  });

  it.each([
    ["a token", [initiated]],
    ["a token of another event", [{ ...note, context_token }]],
    ["a chunk", [first]],
    ["an empty chunk", [chunk(1, "")]],
  ])("after %s it is unknown", async (_case, before) => {
    for (const code of ["400", "404", "429", "500"]) {
      const error = await sseFailure(...[...before, failed(code)].map(sse));
      expect(error).toMatchObject({ reason: "failed", outcome: "unknown", statusCode: code });
      // Without its name it says the same.
      const { event: __, ...nameless } = failed(code);
      expect(await sseError(...[...before, nameless].map(sse))).toMatchObject({ outcome: "unknown" });
    }
  });

  it.each([
    ["a chunk", first, { partialText: (first as ResponseOutput).system.text_chunk, contextToken: undefined }],
    ["a token", initiated, { partialText: "", contextToken: context_token }],
    ["the whole text", completed, { partialText: completed.system.text, contextToken: context_token }],
  ])("with %s in the event that says so it is unknown, and the error holds it", async (_case, event, received) => {
    const error = await sseError(sse({ ...event, status: "FAILED", status_code: "400", message: "No." }));
    expect(error).toMatchObject({ reason: "failed", outcome: "unknown", ...received });
  });
});

describe("a caller's own `fetch` may return an invalid response", () => {
  const headers = new Headers({ "content-type": "text/event-stream" });
  const textBody = (text: string) =>
    new ReadableStream<string>({
      start(controller) {
        controller.enqueue(text);
        controller.close();
      },
    });
  const fields = { status: 200, ok: true, type: "default", redirected: false, url: "", headers };
  const odd: Record<string, () => Promise<object>> = {
    "a body that yields strings": async () => ({ ...fields, body: textBody(sse(completed)) }),
    "a body that is none": async () => ({ ...fields, body: sse(completed) }),
  };

  it.each(Object.entries(odd))("%s", async (_case, give) => {
    const { signal } = new AbortController();
    const fetch = async () => (await give()) as Response;
    const api = clientOf({ url: "https://service.example" }, { fetch });
    const stream = api.ai.stream(request, { signal });
    const [read, final] = await Promise.allSettled([collect(stream), stream.finalText()]);
    expect(read).toMatchObject({ status: "rejected" });
    expect(read.status === "rejected" && ServiceApiError.isInstance(read.reason)).toBe(true);
    expect(final).toEqual(read);
    expect(stream.state).toBe("failed");
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("a whole response may have a status that the document does not show, as one that is not streamed", async () => {
    const body = { ...whole, status: "OK" };
    const api = clientOf({ url: "https://service.example" }, { fetch: async () => Response.json(body) });
    await expect(api.ai.stream(request).finalResponse()).resolves.toMatchObject(body);
    await expect(api.ai.createResponse(request)).resolves.toEqual(body);
  });

  it("one without headers is read all the same", async () => {
    const fetch = async () => ({ status: 200, body: new Response(sse(completed)).body }) as unknown as Response;
    const api = clientOf({ url: "https://service.example" }, { fetch });
    await expect(api.ai.stream(request).finalResponse()).resolves.toMatchObject(completed);
  });
});

describe("a stall is the network's", () => {
  it("a process that was busy for longer reads the data that arrived in the meantime", async () => {
    const begun = gate<ServerResponse>();
    const { stream } = await streamFrom(
      (response) => {
        response.write(sse(initiated));
        begun.open(response);
      },
      { stream: { idleTimeout: 200 } },
    );
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const pending = iterator.next();
    const response = await begun.opened;
    response.write(sse(first));
    // The server hands its bytes to the socket at the end of the tick.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    block(400);
    expect((await pending).value).toEqual(first);
    response.end(sse(completed));
    expect((await iterator.next()).value).toEqual(completed);
    expect(stream.state).toBe("completed");
  });
});

describe("the error of an abort has everything that was received", () => {
  const abortAfterFirst = async (...events: readonly unknown[]) => {
    const { stream, server } = await streamFrom((response) => {
      response.write(events.map(sse).join(""));
    });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    stream.abort("enough");
    const error = await iterator.next().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AbortError);
    expect(stream.state).toBe("aborted");
    await expect(stream.finalText()).rejects.toBe(error);
    await server.idle();
    return error;
  };

  it("a chunk that was held back for its turn", async () => {
    const error = await abortAfterFirst(initiated, chunk(1, "one "), chunk(3, "three "), chunk(4, "four "));
    expect(error).toMatchObject({ partialText: "one three four ", events: 4 });
  });

  it("the text of a completed event that had not been read", async () => {
    const error = await abortAfterFirst(initiated, chunk(1, "one "), completed);
    expect(error).toMatchObject({ partialText: completed.system.text, events: 3, contextToken: context_token });
  });

  const nothing = { name: "AbortError", partialText: "", contextToken: undefined, events: 0, reason: "enough" };

  it("nothing while the credentials are awaited", async () => {
    const asked = gate();
    const clientSecret = () => {
      asked.open();
      return new Promise<string>(() => {});
    };
    const stream = clientOf({ url: "https://service.example" }, { clientSecret }).ai.stream(request);
    const failure = collectUntilError(stream);
    await asked.opened;
    stream.abort("enough");
    expect((await failure).error).toMatchObject({ ...nothing, phase: "credentials", outcome: "notSent" });
    expect(stream).toMatchObject({ state: "aborted", partialText: "" });
  });

  it("nothing while the headers are awaited", async () => {
    const asked = gate();
    const { server, api } = await serve(() => asked.open());
    const stream = api.ai.stream(request);
    const failure = collectUntilError(stream);
    await asked.opened;
    stream.abort("enough");
    expect((await failure).error).toMatchObject({ ...nothing, phase: "headers", outcome: "unknown" });
    expect(stream.state).toBe("aborted");
    await server.idle();
  });

  it("nothing while a retry is awaited", async () => {
    const asked = gate();
    const retryDelay = () => {
      asked.open();
      return 60_000;
    };
    const { server, api } = await serve((response) => response.writeHead(429).end("{}"), { retryDelay });
    const stream = api.ai.stream(request);
    const failure = collectUntilError(stream);
    await asked.opened;
    await turn();
    stream.abort("enough");
    expect((await failure).error).toMatchObject({ ...nothing, phase: "backoff" });
    expect(server.requests).toHaveLength(1);
  });
});

describe("the message of an error", () => {
  it("has no secret of the error that breaks off a body", async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(sse(initiated))),
      pull: (controller) => controller.error(new Error(`refused header ${secret}`, { cause: new Error(secret) })),
    });
    const { all, error } = await collectUntilError(streamOfBody(body), StreamTruncatedError);
    expect(all).toEqual([initiated]);
    expect(error).toMatchObject({ cause: { message: expect.stringContaining("refused header [redacted]") } });
    expectNoSecret(error);
    expect(inspect(error, { showHidden: true, depth: 10, getters: true })).not.toContain(secret);
  });
});
