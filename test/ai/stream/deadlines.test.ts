import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import { StreamStalledError, TimeoutError } from "../../../src/errors/index.ts";
import type { StreamOptions } from "../../../src/options.ts";
import type { ClientEvent } from "../../../src/transport/log.ts";
import { clientOf, errorOf, failureOf } from "../../support/client.ts";
import { later, movedTime, stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";
import { serve } from "../../support/serve.ts";
import { stalls, startServer } from "../../support/server.ts";

import { countTimers } from "../../support/timers.ts";
import { chunk, initiated } from "../events.ts";
import { markdown, streamOfBody, writtenStream } from "../support.ts";

/** A body that never makes its reader wait, in each of whose milliseconds a chunk comes. It is over after a while. */
function ceaseless(next: () => Uint8Array): ReadableStream<Uint8Array> {
  stopClock();
  let chunks = 0;
  return new ReadableStream({
    pull(controller) {
      vi.advanceTimersByTime(1);
      if (++chunks <= 4_000) controller.enqueue(next());
      else controller.close();
    },
  });
}

const headers = { "content-type": "text/event-stream" };

describe("docs/assumptions.md, I2: time for which chunks are held back for a missing one", () => {
  /** A stream that has begun and holds chunks from 3 on for number 2, and the time at which each is delivered. */
  async function hold(options: StreamOptions) {
    stopClock();
    const { stream, write } = writtenStream(options);
    const iterator = stream[Symbol.asyncIterator]();
    write(initiated(), chunk(1), chunk(3));
    await iterator.next();
    const before = movedTime();
    const delivered: [event: string | number, time: number][] = [];
    const reading = (async () => {
      for await (const event of iterator) {
        const name: string | number = "sequence_no" in event ? Number(event.sequence_no) : String(event.event);
        delivered.push([name, movedTime() - before]);
      }
    })();
    return { stream, reading, write, delivered };
  }

  /** Bytes that have arrived by the end of a timeout come first: the look for them is one more timer. */
  const look = 1;

  it.each<[StreamOptions, number]>([
    [{}, 250],
    [{ stream: { reorderTimeout: 40 } }, 40],
    [{ stream: { reorderTimeout: 0 } }, 0],
  ])("%j: %d ms", async (options, timeout) => {
    const { stream, reading, delivered } = await hold(options);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(delivered).toEqual([
      [1, 0],
      [3, timeout + look],
    ]);
    expect(stream.warnings).toMatchObject([{ code: "sequence_gap", message: "2 did not come in time" }]);
    stream.abort();
    await reading.catch(() => {});
  });

  it("without its own end, it ends with the stream's next deadline", async () => {
    const { reading, delivered } = await hold({ stream: { reorderTimeout: false } });
    const failure = failureOf(reading, StreamStalledError);
    await vi.advanceTimersByTimeAsync(60_010);
    expect(await failure).toMatchObject({ deadline: "idle", timeout: 60_000, events: 3, partialText: "1 3 " });
    expect(delivered.map(([event]) => event)).toEqual([1, 3]);
  });

  it("what arrives after it, while the consumer is busy, is not lost", async () => {
    stopClock();
    const { stream, write } = writtenStream();
    const iterator = stream[Symbol.asyncIterator]();
    write(initiated(), chunk(1), chunk(3));
    for (const _event of ["initiated", 1]) await iterator.next();
    expect((await later(300, iterator.next())).value).toEqual(chunk(3));
    write(chunk(4));
    await vi.advanceTimersByTimeAsync(50);
    write(chunk(5));
    for (const number of [4, 5]) expect((await iterator.next()).value).toEqual(chunk(number));
    await iterator.return();
  });

  it("the time for which the consumer pauses does not count", async () => {
    stopClock();
    const { stream, write } = writtenStream();
    const iterator = stream[Symbol.asyncIterator]();
    const heartbeat = { event: "response_heartbeat" };
    write(initiated(), chunk(1), chunk(3));
    for (const _event of ["initiated", 1]) await iterator.next();
    const pending = iterator.next();
    await vi.advanceTimersByTimeAsync(200);
    write(chunk(4), chunk(2), heartbeat, chunk(6));
    expect((await pending).value).toEqual(chunk(2));
    // Three more are ready; while nobody asks for the chunk behind them, its time stands still.
    await vi.advanceTimersByTimeAsync(10_000);
    for (const event of [chunk(3), chunk(4), heartbeat]) expect((await iterator.next()).value).toEqual(event);
    write(chunk(5));
    for (const number of [5, 6]) expect((await iterator.next()).value).toEqual(chunk(number));
    expect(stream.warnings).toEqual([]);
    await iterator.return();
  });

  it("each chunk has its own time", async () => {
    const { stream, reading, write, delivered } = await hold({ stream: { reorderTimeout: 250 } });
    await vi.advanceTimersByTimeAsync(100);
    write(chunk(5));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(delivered.slice(1)).toEqual([
      [3, 250 + look],
      [5, 350 + look],
    ]);
    stream.abort();
    await reading.catch(() => {});
  });

  it("a chunk is not held back longer because bytes keep coming", async () => {
    const line = (event: object) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);
    const heartbeat = new TextEncoder().encode(": hb\n\n");
    const first = [initiated(), chunk(1), chunk(3)].map(line);
    const body = ceaseless(() => first.shift() ?? heartbeat);
    const events = streamOfBody(body)[Symbol.asyncIterator]();
    const before = movedTime();
    for (const sequence_no of [undefined, 1, 3]) {
      const { value } = await events.next();
      expect(value && "sequence_no" in value ? value.sequence_no : undefined).toBe(sequence_no);
    }
    expect(movedTime() - before).toBeLessThan(300);
    await events.return();
  });
});

describe("stream.eventTimeout ends a stream without events", () => {
  it.each([
    ["heartbeats", ": hb\n\n"],
    ["blanks", " ".repeat(16_384)],
    ["a line without end", "x".repeat(16_384)],
  ])("%s that are always there do not outrun it", async (_case, text) => {
    const body = ceaseless(() => new TextEncoder().encode(text));
    const stream = streamOfBody(body, { stream: { eventTimeout: 50 } });
    expect(await failureOf(stream.finalText(), StreamStalledError)).toMatchObject({ deadline: "event", timeout: 50 });
  });
});

describe("stream.timeout covers the whole stream, starting with the call", () => {
  const request = { user: { text: "Hello" } };
  const sse = (event: unknown) => new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`);

  /** A service that sends nothing after this many events. */
  const silentAfter = (count: number) =>
    startServer((response) => {
      response.writeHead(200, headers);
      response.write(Buffer.concat(markdown.slice(0, count).map(sse)));
    });

  /** Reads a stream, and lets 5 ms pass after each 50 events. */
  const pausing = async (stream: AiStream) => {
    stopClock("setTimeout", "clearTimeout", "performance");
    let read = 0;
    const reading = async () => {
      for await (const _event of stream) if (++read % 50 === 0) await vi.advanceTimersByTimeAsync(5);
    };
    return { error: await failureOf(reading(), StreamStalledError), read };
  };

  it("data that is always there does not outrun it, even if the consumer pauses often", async () => {
    let sent = 0;
    // A body that never makes its reader wait; so that nothing hangs, it is over after a while.
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) =>
        controller.enqueue(sse(++sent > 20_000 ? markdown.at(-1) : { ...markdown[1], sequence_no: sent })),
    });
    const stream = streamOfBody(body, { stream: { timeout: 300 } });
    const { error, read } = await pausing(stream);
    expect(error).toMatchObject({ deadline: "stream", timeout: 300, events: read });
    expect(read).toBe(3_000);
    expect(stream.state).toBe("stalled");
  });

  it("nor does a server that never pauses", async () => {
    const { server, api } = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      let sequence_no = 0;
      const pump = () => {
        while (response.write(sse({ ...markdown[1], sequence_no: ++sequence_no })));
        // So that nothing hangs, it is over after a while.
        if (sequence_no > 500_000) response.off("drain", pump).end(sse(markdown.at(-1)));
      };
      response.on("drain", pump);
      pump();
    });
    const { error, read } = await pausing(api.ai.stream(request, { stream: { timeout: 300 } }));
    expect(error).toMatchObject({ deadline: "stream", events: read });
    await server.idle();
  });

  it.each([
    ["the first event", 1],
    ["more than one event", 3],
  ])(
    "also if nobody reads on after ready(): the connection is closed, and the conversation is free (%s)",
    async (_case, count) => {
      const server = await silentAfter(count);
      const timers = countTimers();
      const chat = clientOf(server).ai.conversation();
      const { signal } = new AbortController();
      const stream = chat.stream("Hello", {
        signal,
        stream: { timeout: 300, idleTimeout: false, eventTimeout: false },
      });
      await stream.ready();
      await stream.ended();
      await server.idle();
      expect([timers(), getEventListeners(signal, "abort")]).toEqual([0, []]);
      const next = chat.stream("Hello again", { stream: { timeout: 300 } });
      await next.ready();
      // The events that were received can be read, and then there is the error.
      let read = 0;
      const reading = (async () => {
        for await (const _event of stream) read++;
      })();
      expect(await failureOf(reading, StreamStalledError)).toMatchObject({ deadline: "stream", events: count });
      expect(read).toBe(count);
      const taken = await errorOf(chat.stream("And again").finalText());
      expect(taken).toMatchObject({ issues: [{ code: "turn_under_way" }] });
      next.abort();
      await server.idle();
    },
  );

  it("beside a reader that pauses, whoever waits for the whole response gets the error, and so does onEvent", async () => {
    const server = await silentAfter(3);
    const ends: ClientEvent[] = [];
    const onEvent = (event: ClientEvent) => event.type === "stream" && ends.push(event);
    const stream = clientOf(server, { onEvent }).ai.stream(request, { stream: { timeout: 300 } });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    const error = await failureOf(stream.finalText(), StreamStalledError);
    expect(error).toMatchObject({ deadline: "stream", events: 3, partialText: stream.partialText });
    expect(stream.state).toBe("stalled");
    expect(ends).toMatchObject([{ end: "stalled", events: 3, kind: "stream_stalled" }]);
    expect([await reader.next(), await reader.next()]).toMatchObject([{ done: false }, { done: false }]);
    await expect(reader.next()).rejects.toBe(error);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(ends).toHaveLength(1);
    await server.idle();
  });

  it("what was received is there for ready(), and no more after abort()", async () => {
    const server = await silentAfter(3);
    const stream = clientOf(server).ai.stream(request, { stream: { timeout: 300 } });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await stream.ended();
    expect(await stream.ready()).toBe(stream);
    stream.abort();
    await expect(reader.next()).rejects.toBeInstanceOf(StreamStalledError);
    await expect(stream.ready()).rejects.toBeInstanceOf(StreamStalledError);
  });

  it("what was received cannot be read after its reader has left", async () => {
    const server = await silentAfter(3);
    const stream = clientOf(server).ai.stream(request, { stream: { timeout: 300 } });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    await stream.ended();
    expect(await reader.return()).toEqual({ done: true, value: undefined });
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });

  it("before the headers it is a TimeoutError that names it", async () => {
    const { server, api } = await serve(stalls);
    const timers = countTimers();
    const stream = api.ai.stream(request, { stream: { timeout: 30 } });
    const error = await failureOf(stream.finalText(), TimeoutError);
    expect(error).toMatchObject({ deadline: "stream", phase: "headers", timeout: 30, outcome: "unknown" });
    expect(error.message).toContain("(`stream.timeout`)");
    expect(stream.state).toBe("failed");
    expect(timers()).toBe(0);
    await server.idle();
  });

  it("as it is while the credentials are awaited", async () => {
    const clientSecret = () => new Promise<string>(() => {});
    const api = clientOf({ url: "https://service.example" }, { clientSecret });
    const error = await failureOf(api.ai.stream(request, { stream: { timeout: 30 } }).finalText(), TimeoutError);
    expect(error).toMatchObject({ deadline: "stream", phase: "credentials", outcome: "notSent", attempts: 0 });
    expect(error.message).toContain("(`stream.timeout`)");
  });

  it.each([
    ["stream.timeout", { stream: { timeout: 30 }, totalTimeout: 60_000 }, "stream"],
    ["totalTimeout", { stream: { timeout: 60_000 }, totalTimeout: 30 }, "total"],
    ["totalTimeout where both are as long", { stream: { timeout: 30 }, totalTimeout: 30 }, "total"],
  ])("the shorter one wins: %s", async (_case, options, deadline) => {
    const { api } = await serve(stalls);
    const error = await failureOf(api.ai.stream(request, options).finalText(), TimeoutError);
    expect(error).toMatchObject({ deadline, timeout: 30 });
    expect(error.message).toContain(deadline === "stream" ? "(`stream.timeout`)" : "(`totalTimeout`)");
  });

  it("the time until the headers counts", async () => {
    stopClock();
    const fetch = async () => {
      vi.advanceTimersByTime(200);
      const body = new ReadableStream({ start: (controller) => controller.enqueue(sse(markdown[0])) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    };
    // If it restarted with the body, it would be the longer of the two.
    const options = { stream: { timeout: 1_000, idleTimeout: 900 } };
    const iterator = clientOf({ url: "https://service.example" }, { fetch })
      .ai.stream(request, options)
      [Symbol.asyncIterator]();
    await iterator.next();
    const failure = failureOf(iterator.next(), StreamStalledError);
    await vi.advanceTimersByTimeAsync(801);
    expect(await failure).toMatchObject({ deadline: "stream", timeout: 1_000, events: 1 });
  });
});

it("`false` for each deadline of a stream sets no timer, however long its bytes take", async () => {
  const timers = countTimers();
  const pulled = gate();
  const body = new ReadableStream({ pull: () => pulled.open() }, { highWaterMark: 0 });
  const off = { timeout: false, stream: { timeout: false, idleTimeout: false, eventTimeout: false } } as const;
  const stream = streamOfBody(body, off);
  const text = errorOf(stream.finalText());
  await pulled.opened;
  await new Promise((resolve) => setImmediate(resolve));
  expect(timers()).toBe(0);
  stream.abort();
  expect((await text).kind).toBe("abort");
});
