import { ReadableStream } from "node:stream/web";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { ConfigurationError } from "../../../src/errors/index.ts";
import type { StreamOptions } from "../../../src/index.ts";
import { clientOf } from "../../support/client.ts";
import { stopClock } from "../../support/clock.ts";
import { collect, collectUntilError } from "../../support/collect.ts";
import { chunk, completed, initiated } from "../events.ts";
import {
  hindi,
  markdown,
  partsOfText,
  sample,
  sse,
  streamFrom,
  streamOf,
  streams,
  textOf,
  writtenStream,
} from "../support.ts";

const whole = (events: readonly unknown[]) => streamOf(events);
const unending = (events: readonly unknown[], options?: StreamOptions) => streamOf(events, "stay", options);

describe("a stream is read once", () => {
  it("a second iteration throws, and says what to do instead", async () => {
    const { stream } = await whole(markdown);
    expect(await collect(stream)).toEqual(markdown);
    expect(() => stream[Symbol.asyncIterator]()).toThrow(ConfigurationError);
    await expect(collect(stream)).rejects.toThrow("finalText()");
    await expect(collect(stream.textStream)).rejects.toThrow(ConfigurationError);
  });

  it("a second reader is refused, and the error says whether the request of the first was sent", async () => {
    const { stream } = await whole(markdown);
    const first = stream[Symbol.asyncIterator]();
    const refused = (outcome: string) => expect.objectContaining({ operation: "ai.stream", outcome });
    expect(() => stream.toReadableStream()).toThrow(refused("notSent"));
    await first.next();
    expect(() => stream.toReadableStream()).toThrow(refused("unknown"));
    await first.return?.();
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
  it.each(streams)("textStream, finalText and partialText agree: %s", async (_name, events) => {
    const { stream } = await whole(events);
    const final = stream.finalText.bind(stream);
    const parts = await collect(stream.textStream);
    expect(parts.join("")).toBe(textOf(events));
    expect(await final()).toBe(textOf(events));
    expect(stream.partialText).toBe(textOf(events));
    expect(parts.flatMap(partsOfText)).toEqual(partsOfText(textOf(events)));
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

  it.each<[string, string[], string, boolean, string[]]>([
    ["equals the chunks", ["fare ", "quote"], "fare quote", false, ["fare ", "quote"]],
    ["continues the chunks", ["fare "], "fare quote", true, ["fare ", "quote"]],
    ["differs from the chunks", ["fair "], "fare quote", true, ["fair "]],
    ["comes without chunks", [], "fare quote", false, ["fare quote"]],
  ])(
    "of a completed text that %s, textStream adds what goes beyond the chunks",
    async (_case, chunks, text, differs, parts) => {
      const events = chunks.map((text, i) => chunk(i + 1, text));
      const { stream } = await whole([initiated(), ...events, completed(text)]);
      expect(await collect(stream.textStream)).toEqual(parts);
      expect(stream).toMatchObject({ partialText: text, textMismatch: differs, contextToken: "svc_1" });
    },
  );

  it("contextToken is the last token that is a string", async () => {
    const events = [initiated(), { ...initiated(), context_token: 7 }, { event: "response_heartbeat" }];
    const { server } = await whole([...events, { ...chunk(1), context_token: "svc_chunk" }]);
    const off = { validation: { response: "off" } } as const;
    const stream = clientOf(server, off).ai.stream({ user: { text: "Hello" } });
    await collectUntilError(stream);
    expect(stream.contextToken).toBe("svc_1");
  });

  it("keeps no more text than a response can hold, so that an endless one does not fill the memory", async () => {
    const chunks = [1, 2, 3].map((n) => chunk(n, "x".repeat(400)));
    const { server } = await whole([markdown[0], ...chunks, ...markdown.slice(-1)]);
    const stream = clientOf(server, { stream: { maxEventBytes: 1_000 } }).ai.stream({ user: { text: "Hello" } });
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

  it.each([0, 1, 4, 1_000])("the first chunk is passed on at once, whatever its number: %i", async (n) => {
    const first = chunk(n);
    const { stream } = await unending([markdown[0], first], { stream: { reorderTimeout: false } });
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    expect((await iterator.next()).value).toEqual(first);
    await iterator.return();
    expect(stream.warnings).toEqual([]);
  });

  it("one that should have come before it is passed on late, and the completed text counts", async () => {
    const { stream } = await whole(sample("stream-first-chunks-swapped.events.json"));
    expect((await collect(stream.textStream)).join("")).toBe("beta gamma alpha delta");
    expect(stream).toMatchObject({ textMismatch: true, warnings: [{ code: "sequence_late", path: ["sequence_no"] }] });
    expect(await stream.finalText()).toBe("alpha beta gamma delta");
  });

  it("a number that is always the same loses nothing, also if the stream is cut", async () => {
    const { stream } = await whole([
      markdown[0],
      ...["Fare ", "quote ", "of ", "the ", "the "].map((text) => chunk(1, text)),
    ]);
    const { error } = await collectUntilError(stream);
    expect(error).toMatchObject({ name: "StreamTruncatedError", partialText: "Fare quote of the the " });
    expect(stream.warnings).toMatchObject(Array(4).fill({ code: "sequence_repeated" }));
  });

  it("chunks that keep arriving in swapped pairs all come out in order", async () => {
    stopClock();
    const { stream, write, close } = writtenStream({ stream: { reorderTimeout: 500 } });
    const events = collect(stream);
    write(initiated(), chunk(1), chunk(3));
    for (let n = 3; n < 23; n += 2) {
      await vi.advanceTimersByTimeAsync(400);
      // The one that is awaited, and one behind the next gap.
      write(chunk(n - 1), chunk(n + 2));
    }
    write(chunk(22), completed("all of them"));
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
    const { stream, server } = await streamFrom((response) => {
      response.write(markdown.map(sse).join(""));
      const more = setInterval(() => response.write(": more\n\n"), 5);
      response.on("close", () => clearInterval(more));
    });
    await stream.finalText();
    await server.idle();
  });
});

describe("events are pulled", () => {
  it("a consumer that pauses also pauses the server", async () => {
    const chunk = sse({ ...markdown[1], system: { msg_id: "m", text_chunk: "x".repeat(64 * 1024) } });
    let written = 0;
    const { stream } = await streamFrom((response) => {
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
