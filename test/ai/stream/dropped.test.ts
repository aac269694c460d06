import { getEventListeners } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import { AbortError, StreamStalledError } from "../../../src/errors/index.ts";
import type { StreamOptions } from "../../../src/index.ts";
import { clientOf, signalled } from "../../support/client.ts";
import { collectGarbage } from "../../support/gc.ts";
import { startServer } from "../../support/server.ts";
import { chunk, completed, initiated } from "../events.ts";

const sse = (event: object) => `data: ${JSON.stringify(event)}\n\n`;

/** A stream of a service that sends two events and keeps the connection open. */
async function open(options: StreamOptions = {}) {
  const begun = signalled<ServerResponse>();
  const server = await startServer((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(sse(initiated()) + sse(chunk(1)));
    begun.call(response);
  });
  return { stream: clientOf(server).ai.stream({ user: { text: "Hello" } }, options), server, begun: begun.called };
}

/** Collects garbage until the condition holds; the test's own timeout ends it. */
async function collectUntil(holds: () => boolean): Promise<void> {
  while (!holds()) {
    collectGarbage();
    // Callbacks of a FinalizationRegistry run as separate tasks.
    await turn();
  }
}

describe("a reader that is dropped closes the connection when it is collected", () => {
  const ways: Record<string, (stream: AiStream) => Promise<unknown>> = {
    "the body of a relayed response": async (stream) => stream.toResponse().body?.getReader().read(),
    "a relayed stream, as text": async (stream) => stream.toReadableStream({ format: "text" }).getReader().read(),
    "an iterator": async (stream) => stream[Symbol.asyncIterator]().next(),
    "an iterator of the text": async (stream) => stream.textStream[Symbol.asyncIterator]().next(),
  };

  it.each(Object.entries(ways))("%s", async (_name, readOnce) => {
    const { stream, server } = await open();
    await readOnce(stream);
    expect(stream.state).toBe("streaming");
    const final = stream.finalText();
    await collectUntil(() => stream.state === "aborted");
    await server.idle();
    // Other readers that wait get the error.
    await expect(final).rejects.toBeInstanceOf(AbortError);
  });

  it.each<[string, (body: ReadableStream<Uint8Array> | null) => ReadableStream<Uint8Array> | undefined]>([
    ["itself", (body) => body ?? undefined],
    ["behind a pipe", (body) => body?.pipeThrough(new TransformStream())],
    ["as one of two", (body) => body?.tee()[0]],
  ])("or when a deadline ends its wait: a relayed response that is read %s", async (_name, derive) => {
    const { signal } = new AbortController();
    const { stream, server } = await open({ stream: { idleTimeout: 300 }, signal });
    await (async () => {
      const reader = derive(stream.toResponse().body)?.getReader();
      await reader?.read();
      await reader?.read();
      reader?.read().catch(() => {});
    })();
    const final = stream.finalText();
    await collectUntil(() => stream.state !== "streaming");
    await server.idle();
    await expect(final).rejects.toBeInstanceOf(StreamStalledError);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("but not while it waits for an event", async () => {
    const { stream, begun } = await open();
    const nobodyHolds = async () => {
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      await iterator.next();
      return { pulled: iterator.next() };
    };
    const { pulled } = await nobodyHolds();
    for (let i = 0; i < 5; i++) {
      collectGarbage();
      await turn();
    }
    (await begun).write(sse(chunk(2)));
    expect((await pulled).value).toEqual(chunk(2));
    stream.abort();
  });

  it("nor while it is referenced", async () => {
    const { stream, begun } = await open();
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    for (let i = 0; i < 5; i++) {
      collectGarbage();
      await turn();
    }
    (await begun).end(sse(completed("1 ")));
    expect((await iterator.next()).value).toEqual(chunk(1));
    expect((await iterator.next()).value).toEqual(completed("1 "));
    expect(stream.state).toBe("completed");
  });
});
