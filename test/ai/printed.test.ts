import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { AbortError, StreamFailedError, StreamStalledError, StreamTruncatedError } from "../../src/errors/index.ts";
import { ServiceApi, type StreamOptions } from "../../src/index.ts";
import { errorOf } from "../support/client.ts";
import { chunk, completed, initiated, sseBody } from "./events.ts";

const token = "svc_PRINTEDtoken";
const text = "personal text";
const begun = [initiated({ context_token: token }), chunk(1, text)];

/** A client whose service sends these events and then ends the body, or keeps it open. */
function api(events: readonly object[], after: "end" | "stay" = "end"): ServiceApi {
  return new ServiceApi({
    baseUrl: "https://service.example",
    clientId: "id",
    clientSecret: "a-long-secret",
    fetch: async () => new Response(sseBody(events, after), { headers: { "content-type": "text/event-stream" } }),
  });
}

const request = { user: { text: "Hello" } };

/** The error that ends a stream of these events. */
const errorAfter = (events: readonly object[], after?: "end" | "stay", options?: StreamOptions) =>
  errorOf(api(events, after).ai.stream(request, options).finalText());

/** The error of a stream that is aborted once its events are there. */
async function abortedError(): Promise<unknown> {
  const stream = api(begun, "stay").ai.stream(request);
  const iterator = stream[Symbol.asyncIterator]();
  for (const _ of begun) await iterator.next();
  stream.abort();
  return iterator.next().catch((error: unknown) => error);
}

const prints = (value: unknown) => [
  String(value),
  inspect(value, { depth: 10 }),
  JSON.stringify(value) ?? "",
  value instanceof Error ? `${value.stack}` : "",
];

describe("printing a stream shows neither its context token nor its text", () => {
  const failed = { event: "response_failed", status: "FAILED", status_code: "500", message: "no" };

  it.each([
    ["truncated", StreamTruncatedError, () => errorAfter(begun)],
    ["stalled", StreamStalledError, () => errorAfter(begun, "stay", { stream: { idleTimeout: 20 } })],
    ["failed", StreamFailedError, () => errorAfter([...begun, failed])],
    ["damaged", StreamFailedError, () => errorAfter([...begun, { event: "response_output", sequence_no: 2 }])],
    [
      "too large",
      StreamFailedError,
      () => errorAfter([...begun, chunk(2, "x".repeat(2_000))], "end", { stream: { maxEventBytes: 1_000 } }),
    ],
    ["aborted", AbortError, abortedError],
  ])("an error of a stream that is %s, although both are properties of it", async (_name, type, failure) => {
    const error = await failure();
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ contextToken: token, partialText: text });
    for (const print of prints(error)) {
      expect(print).not.toContain(token);
      expect(print).not.toContain(text);
    }
  });

  it("nor a stream in progress, nor a conversation that is logged", async () => {
    const stream = api(begun, "stay").ai.stream(request);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    expect(stream).toMatchObject({ contextToken: token, partialText: text });
    for (const print of prints(stream)) expect(print).not.toMatch(`${token}|${text}`);
    for (const print of prints(iterator)) expect(print).not.toMatch(`${token}|${text}`);
    await iterator.return?.();

    const chat = api([...begun, completed(text, { context_token: token })]).ai.conversation();
    await chat.stream("Hello").finalText();
    expect(chat.contextToken).toBe(token);
    expect(inspect(chat, { depth: 10 })).not.toMatch(`${token}|${text}`);
    expect(JSON.stringify(chat), "which is what saving a conversation is for").toContain(token);
  });
});
