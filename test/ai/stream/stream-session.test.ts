import type { ServerResponse } from "node:http";
import { ReadableStream } from "node:stream/web";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import type { StreamOptions } from "../../../src/index.ts";
import { clientOf } from "../../support/client.ts";
import { stopClock } from "../../support/clock.ts";
import { startServer, type TestServer } from "../../support/server.ts";
import { collect, hindi, markdown, sample, surrogates } from "../support.ts";

const sse = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

async function open(
  answer: (response: ServerResponse) => void,
  options: StreamOptions = {},
): Promise<{ stream: AiStream; server: TestServer }> {
  const server = await startServer((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    answer(response);
  });
  return { stream: clientOf(server).ai.stream({ user: { text: "Hello" } }, options), server };
}

/** A stream of what the test writes, in the time of a clock that it moves. */
function pushed(options: StreamOptions = {}) {
  stopClock();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const fetch = async () => new Response(readable, { headers: { "content-type": "text/event-stream" } });
  const { ai } = clientOf({ url: "http://localhost" }, { fetch });
  return {
    stream: ai.stream({ user: { text: "Hello" } }, options),
    write: (text: string) => writer.write(new TextEncoder().encode(text)).catch(() => {}),
    close: () => void writer.close(),
  };
}

/** Expects the next event to come when some milliseconds have passed, and returns it. */
async function nextAfter(milliseconds: number, events: AsyncIterator<unknown>): Promise<unknown> {
  let isThere = false;
  const next = events.next().finally(() => (isThere = true));
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(isThere).toBe(false);
  // After its timer, the reader looks once more in the next tick.
  await vi.advanceTimersByTimeAsync(2);
  expect(isThere).toBe(true);
  return (await next).value;
}

const whole = (events: readonly unknown[]) => open((response) => response.end(events.map(sse).join("")));
const unending = (events: readonly unknown[], options?: StreamOptions) =>
  open((response) => response.write(events.map(sse).join("")), options);
const textOf = (events: readonly (typeof markdown)[number][]) => {
  const last = events.at(-1);
  return last?.event === "response_completed" ? last.system.text : "";
};

describe("a stream is read once", () => {
  it("a second iteration throws, and says what to do instead", async () => {
    const { stream } = await whole(markdown);
    expect(await collect(stream)).toEqual(markdown);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(ConfigurationError);
    await expect(collect(stream)).rejects.toThrow("finalText()");
    await expect(collect(stream.textStream)).rejects.toThrow(ConfigurationError);
  });

  it("`break` ends the generation and closes the connection", async () => {
    const { stream, server } = await unending(markdown.slice(0, 5));
    for await (const event of stream) if (event.event === "response_output") break;
    expect(stream.state).toBe("aborted");
    await server.idle();
    await expect(stream.finalText()).rejects.toMatchObject({ name: "AbortError", partialText: "# Fare quote in " });
  });

  it("so does `break` in textStream, and a consumer that throws", async () => {
    const { stream, server } = await unending(markdown.slice(0, 5));
    for await (const _text of stream.textStream) break;
    await server.idle();
    const other = await unending(markdown.slice(0, 5));
    const consume = async () => {
      for await (const _event of other.stream) throw new Error("mine");
    };
    await expect(consume()).rejects.toThrow("mine");
    expect(other.stream.state).toBe("aborted");
    await other.server.idle();
  });

  it("an iterator that is left while it waits ends quietly", async () => {
    const { stream, server } = await unending(markdown.slice(0, 1));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    await iterator.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    await server.idle();
  });

  it("an iterator that is left before the first pull sends nothing", async () => {
    const { stream, server } = await whole(markdown);
    await stream[Symbol.asyncIterator]().return?.();
    expect(stream.state).toBe("aborted");
    expect(server.requests).toHaveLength(0);
  });

  it("its iterator can be iterated", async () => {
    const { stream } = await whole(markdown);
    const iterator = stream[Symbol.asyncIterator]();
    const { value: first } = await iterator.next();
    expect([first, ...(await collect(iterator))]).toEqual(markdown);
  });

  it("pulls at the same time come in order", async () => {
    const { stream } = await whole(markdown);
    const iterator = stream[Symbol.asyncIterator]();
    const pulls = await Promise.all(Array.from({ length: markdown.length + 2 }, () => iterator.next()));
    expect(pulls.slice(0, markdown.length).map(({ value }) => value)).toEqual(markdown);
    expect(pulls.slice(markdown.length)).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
  });

  it("a pull that is made as another one settles does not overtake those that wait", async () => {
    const { stream } = await whole(markdown);
    const iterator = stream[Symbol.asyncIterator]();
    const first = iterator.next();
    const late = first.then(() => iterator.next());
    const second = iterator.next();
    const pulls = await Promise.all([first, second, late]);
    expect(pulls.map(({ value }) => value)).toEqual(markdown.slice(0, 3));
  });

  it("throws an error once, and then ends", async () => {
    const { stream } = await whole(markdown.slice(0, 1));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await expect(iterator.next()).rejects.toMatchObject({ name: "StreamTruncatedError" });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("text", () => {
  it.each([
    ["Markdown", markdown],
    ["Devanagari and emoji by code point", hindi],
    ["lone surrogates", surrogates],
  ])("textStream, finalText and partialText agree: %s", async (_name, events) => {
    const { stream } = await whole(events);
    const final = stream.finalText.bind(stream);
    const parts = await collect(stream.textStream);
    expect(parts.join("")).toBe(textOf(events));
    expect(await final()).toBe(textOf(events));
    expect(stream.partialText).toBe(textOf(events));
    const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
    const characters = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);
    expect(parts.flatMap(characters)).toEqual(characters(textOf(events)));
    expect(parts.join("")).not.toContain("\uFFFD");
  });

  it("finalText and finalResponse read the stream if it has no other reader", async () => {
    const { stream } = await whole(markdown);
    const [text, response, again] = await Promise.all([stream.finalText(), stream.finalResponse(), stream.finalText()]);
    expect(response).toEqual(markdown.at(-1));
    expect(text).toBe(again);
    expect(text).toBe(textOf(markdown));
  });

  it("finalText waits alongside a reader, and shares its error", async () => {
    const { stream } = await whole(markdown.slice(0, 3));
    const reading = collect(stream);
    const final = stream.finalText();
    const [read, text] = await Promise.allSettled([reading, final]);
    expect(read).toMatchObject({ status: "rejected", reason: { name: "StreamTruncatedError" } });
    expect(text).toMatchObject({ status: "rejected", reason: { name: "StreamTruncatedError" } });
  });

  it("partialText and contextToken follow the reader", async () => {
    const { stream } = await whole(markdown);
    const seen: string[] = [];
    for await (const _event of stream) seen.push(stream.partialText);
    expect(seen.slice(0, 4)).toEqual(["", "# ", "# Fare ", "# Fare quote "]);
    expect(stream.contextToken).toBe("svc_660ee05a705a4b965f2dd7b28065999c6da55ad2");
  });

  it("the completed text is authoritative: textMismatch says that the chunks differ", async () => {
    const { stream } = await whole(sample("stream-final-text-differs.events.json"));
    expect((await collect(stream.textStream)).join("")).toBe("Hello world.");
    expect(await stream.finalText()).toBe("Hello world.");
    expect(stream.textMismatch).toBe(true);
  });

  it("keeps no more text than a response can hold, so that an endless one does not fill the memory", async () => {
    const chunk = (n: number) => ({
      ...markdown[1],
      sequence_no: n,
      system: { msg_id: "m", text_chunk: "x".repeat(400) },
    });
    const { server } = await whole([markdown[0], chunk(1), chunk(2), chunk(3), ...markdown.slice(-1)]);
    const stream = clientOf(server, { maxEventBytes: 1_000 }).ai.stream({ user: { text: "Hello" } });
    let longest = 0;
    for await (const event of stream) if (event.event === "response_output") longest = stream.partialText.length;
    expect(longest).toBe(1_000);
    expect(stream).toMatchObject({ state: "completed", textMismatch: true, partialText: textOf(markdown) });
  });

  it("a response without text is complete", async () => {
    const { stream } = await whole(sample("stream-empty-output.events.json"));
    expect(await collect(stream.textStream)).toEqual([]);
    expect(stream).toMatchObject({ state: "completed", textMismatch: false, partialText: "" });
  });
});

describe("textStream read by hand", () => {
  const done = { done: true, value: undefined };

  it.each([
    ["the first text", markdown.slice(0, 1)],
    ["the next text", markdown.slice(0, 3)],
  ])("leaving it while it waits for %s closes the connection immediately", async (_case, events) => {
    const { stream, server } = await unending(events);
    const iterator = stream.textStream[Symbol.asyncIterator]();
    let waiting = iterator.next();
    for (let i = 1; i < events.length; i++) {
      await waiting;
      waiting = iterator.next();
    }
    while (server.requests.length === 0) await turn();
    expect(await iterator.return?.()).toEqual(done);
    expect(await waiting).toEqual(done);
    expect(await iterator.next()).toEqual(done);
    expect(stream.state).toBe("aborted");
    await server.idle();
  });

  it("so does a ReadableStream made from it that is cancelled while it waits", async () => {
    const { stream, server } = await unending(markdown.slice(0, 2));
    const reader = ReadableStream.from(stream.textStream).getReader();
    await reader.read();
    const waiting = reader.read();
    await turn();
    await reader.cancel();
    expect(await waiting).toEqual(done);
    expect(stream.state).toBe("aborted");
    await server.idle();
  });

  it("after a cut come the rest of the last character and then, once, the error", async () => {
    const chunk = (sequence_no: number, text_chunk: string) => ({
      ...markdown[1],
      sequence_no,
      system: { msg_id: "m", text_chunk },
    });
    const { stream } = await whole([markdown[0], chunk(1, "नम"), chunk(2, "स्")]);
    const iterator = stream.textStream[Symbol.asyncIterator]();
    const pulls = await Promise.allSettled(Array.from({ length: 5 }, () => iterator.next()));
    const failed = pulls.findIndex(({ status }) => status === "rejected");
    const parts = pulls.slice(0, failed).map((pull) => pull.status === "fulfilled" && pull.value.value);
    expect(parts).toEqual(["न", "म", "स्"]);
    expect(pulls[failed]).toMatchObject({ reason: { name: "StreamTruncatedError", partialText: "नमस्" } });
    expect(pulls.slice(failed + 1)).toEqual(Array(4 - failed).fill({ status: "fulfilled", value: done }));
  });

  it("pulls at the same time come in order", async () => {
    const { stream } = await whole(hindi);
    const iterator = stream.textStream[Symbol.asyncIterator]();
    const parts: string[] = [];
    for (;;) {
      const pulls = await Promise.all([iterator.next(), iterator.next()]);
      for (const { value } of pulls) if (value !== undefined) parts.push(value);
      if (pulls[1].done) break;
    }
    expect(parts.join("")).toBe(textOf(hindi));
  });
});

describe("order over a connection", () => {
  it("swapped chunks are put in order", async () => {
    const { stream } = await whole(sample("stream-out-of-order.events.json"));
    expect((await collect(stream.textStream)).join("")).toBe("alpha beta gamma delta");
    expect(stream).toMatchObject({ textMismatch: false, warnings: [] });
  });

  it("swapped first chunks are put in order, even if they arrive one by one", async () => {
    const { stream, write, close } = pushed();
    const text = collect(stream.textStream);
    for (const event of sample("stream-first-chunks-swapped.events.json")) {
      write(sse(event));
      await vi.advanceTimersByTimeAsync(5);
    }
    close();
    expect((await text).join("")).toBe("alpha beta gamma delta");
    expect(stream).toMatchObject({ textMismatch: false, warnings: [] });
  });

  it("swapped chunks 1 and 0 are put in order, whether they arrive together or one by one", async () => {
    const chunk = (n: number, text_chunk: string) => ({
      ...markdown[1],
      sequence_no: n,
      system: { msg_id: "m", text_chunk },
    });
    const parts = [markdown[0], chunk(1, "beta "), chunk(0, "alpha "), chunk(2, "gamma")].map(sse);
    for (const pieces of [[parts.join("")], parts]) {
      const { stream, write, close } = pushed();
      const text = collect(stream.textStream);
      for (const piece of pieces) {
        write(piece);
        await vi.advanceTimersByTimeAsync(1);
      }
      write(sse({ ...markdown.at(-1), system: { msg_id: "m", text: "alpha beta gamma" } }));
      close();
      expect((await text).join("")).toBe("alpha beta gamma");
      expect(stream).toMatchObject({ textMismatch: false, warnings: [] });
    }
  });

  it("a first chunk of 1 is returned soon, even if nothing follows", async () => {
    const first = { ...markdown[1], sequence_no: 1 };
    const { stream } = await unending([markdown[0], first], { reorderTimeout: false });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    expect((await iterator.next()).value).toEqual(first);
    await iterator.return();
  });

  it("text that starts at 4 waits no longer than reorderTimeout, and loses nothing", async () => {
    const numbered = [4, 5, 6].map((n) => ({ ...markdown[1], sequence_no: n }));
    const { stream, write } = pushed({ reorderTimeout: 100 });
    write([markdown[0], ...numbered].map(sse).join(""));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    expect(await nextAfter(100, iterator)).toEqual(numbered[0]);
    expect([(await iterator.next()).value, (await iterator.next()).value]).toEqual(numbered.slice(1));
    expect(stream.warnings).toEqual([]);
    await iterator.return();
  });

  it("chunks that keep arriving in swapped pairs all come out in order", async () => {
    const chunk = (n: number) => sse({ ...markdown[1], sequence_no: n });
    const { stream, write, close } = pushed({ reorderTimeout: 500 });
    const events = collect(stream);
    write(sse(markdown[0]) + chunk(1) + chunk(3));
    for (let n = 3; n < 23; n += 2) {
      await vi.advanceTimersByTimeAsync(400);
      // The one that is awaited, and one behind the next gap.
      write(chunk(n - 1) + chunk(n + 2));
    }
    write(chunk(22) + sse(markdown.at(-1)));
    close();
    await vi.advanceTimersByTimeAsync(0);
    const numbers = (await events).flatMap((event) => (event.event === "response_output" ? [event.sequence_no] : []));
    expect(numbers).toEqual(Array.from({ length: 23 }, (_, i) => i + 1));
    expect(stream.warnings).toEqual([]);
  });

  it("a duplicate chunk is dropped", async () => {
    const { stream } = await whole(sample("stream-duplicate-sequence.events.json"));
    expect((await collect(stream.textStream)).join("")).toBe("alpha beta");
    expect(stream.warnings).toMatchObject([{ code: "sequence_duplicate" }]);
  });

  it("numbers with gaps are warnings, and hold nothing back", async () => {
    const events = sample("stream-sequence-starts-at-4-with-gaps.events.json");
    const { stream } = await whole(events);
    expect(await collect(stream)).toEqual(events);
    expect(stream.warnings).toHaveLength(3);
    expect(stream.textMismatch).toBe(false);
  });

  it("a chunk is held back for a missing one for 250 ms at most", async () => {
    const chunk = (n: number) => ({ ...markdown[1], sequence_no: n });
    const { stream, write } = pushed();
    write([markdown[0], chunk(1), chunk(3)].map(sse).join(""));
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    expect(await nextAfter(250, iterator)).toMatchObject({ sequence_no: 3 });
    await iterator.return();
  });

  it("a chunk is given up only after time spent waiting, so that a slow consumer loses none", async () => {
    const chunk = (n: number) => ({ ...markdown[1], sequence_no: n });
    const { stream, write, close } = pushed();
    write([markdown[0], chunk(1), chunk(3)].map(sse).join(""));
    const numbers: unknown[] = [];
    for await (const event of stream) {
      if (event.event !== "response_output") continue;
      numbers.push(event.sequence_no);
      if (event.sequence_no !== 1) continue;
      await vi.advanceTimersByTimeAsync(300);
      write(sse(chunk(2)) + sse(markdown.at(-1)));
      close();
    }
    expect(numbers).toEqual([1, 2, 3]);
  });

  it("unknown events do not count in the order", async () => {
    const events = sample("stream-unknown-event.events.json");
    const { stream } = await whole(events);
    expect(await collect(stream)).toEqual(events);
    expect(stream).toMatchObject({ textMismatch: false, warnings: [] });
  });
});

describe("connections", () => {
  it("one that carried a complete response serves the next call", async () => {
    const { server } = await whole(markdown);
    const api = clientOf(server);
    for (let i = 0; i < 4; i++) {
      await api.ai.stream({ user: { text: "Hello" } }).finalText();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(new Set(server.requests.map(({ socket }) => socket)).size).toBe(1);
  });

  it("one that continues after a complete response is cut off", async () => {
    const { stream, server } = await open((response) => {
      response.write(markdown.map(sse).join(""));
      const more = setInterval(() => response.write(": more\n\n"), 5);
      response.on("close", () => clearInterval(more));
    });
    await stream.finalText();
    await server.idle();
  });
});

describe("a body that continues after a complete response", () => {
  it("is cancelled, even if its data is always there", async () => {
    let pulls = 0;
    let cancel = (_pulls: number) => {};
    const cancelled = new Promise<number>((resolve) => {
      cancel = resolve;
    });
    const body = new globalThis.ReadableStream<Uint8Array>({
      pull(controller) {
        // So that nothing hangs, it is over after a while.
        if (++pulls > 2_000_000) {
          controller.close();
          cancel(Number.POSITIVE_INFINITY);
        } else controller.enqueue(new TextEncoder().encode(sse(markdown.at(-1))));
      },
      cancel: () => cancel(pulls),
    });
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    await clientOf({ url: "https://service.example" }, { fetch })
      .ai.stream({ user: { text: "Hello" } })
      .finalText();
    expect(await cancelled).toBeLessThan(2_000_000);
  });
});

describe("events are pulled", () => {
  it("a consumer that pauses also pauses the server", async () => {
    const chunk = sse({ ...markdown[1], system: { msg_id: "m", text_chunk: "x".repeat(64 * 1024) } });
    let written = 0;
    const { stream } = await open((response) => {
      const pump = () => {
        while (response.write(chunk)) written += chunk.length;
        written += chunk.length;
      };
      response.on("drain", pump);
      pump();
    });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // The socket buffers of both sides; draining an endless response would have no bound at all.
    expect(written).toBeLessThan(32 * 1024 * 1024);
    await iterator.return?.();
    await turn();
  });
});
