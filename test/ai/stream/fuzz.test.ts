import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { AiEvent } from "../../../src/ai/types.ts";
import {
  AbortError,
  ServiceApiError,
  StreamError,
  StreamFailedError,
  UnexpectedResponseError,
} from "../../../src/errors/index.ts";
import { ServiceApi } from "../../../src/index.ts";
import { chunk, completed, initiated } from "../events.ts";
import { type FramingSample, framings, hindi, markdown } from "../support.ts";

/** The outcome of reading a body, and what it left behind. */
interface Result {
  readonly events: readonly AiEvent[];
  readonly error: unknown;
  readonly state: string;
  readonly left: { readonly listeners: number; readonly timers: number; readonly isBodyOpen: boolean };
}

const liveTimers = new Set<unknown>();
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

beforeEach(() => {
  vi.stubGlobal("setTimeout", (work: () => void, milliseconds: number) => {
    const timer = realSetTimeout(() => {
      liveTimers.delete(timer);
      work();
    }, milliseconds);
    liveTimers.add(timer);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: NodeJS.Timeout | undefined) => {
    liveTimers.delete(timer);
    realClearTimeout(timer);
  });
});

type After = "end" | "break" | "hang";

/**
 * A stream, through the whole client, of a body that comes in these pieces; `after` is what the body does at its end.
 */
function open(pieces: readonly Uint8Array[], contentType: string, after: After = "end", idleTimeout = 50) {
  liveTimers.clear();
  let isBodyOpen = false;
  let given = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = pieces[given];
        if (piece !== undefined) {
          given++;
          return controller.enqueue(piece);
        }
        if (after === "hang") return new Promise(() => {});
        isBodyOpen = false;
        if (after === "break") controller.error(new TypeError("terminated"));
        else controller.close();
      },
      cancel() {
        isBodyOpen = false;
      },
    },
    // Nothing is sent before it is requested, so that everything that was sent was received.
    { highWaterMark: 0 },
  );
  const controller = new AbortController();
  const api = new ServiceApi({
    baseUrl: "https://service.example",
    clientId: "id",
    clientSecret: "secret",
    stream: { maxEventBytes: 4_096, idleTimeout },
    fetch: async () => {
      isBodyOpen = true;
      return new Response(body, { headers: contentType === "" ? {} : { "content-type": contentType } });
    },
  });
  const stream = api.ai.stream({ user: { text: "Hello" } }, { signal: controller.signal });
  const left = async () => {
    // The rest of a body after its last event is read in passing; a forgotten timer would stay longer.
    for (let turn = 0; turn < 20 && (turn === 0 || liveTimers.size > 0); turn++)
      await new Promise((resolve) => setImmediate(resolve));
    return { listeners: getEventListeners(controller.signal, "abort").length, timers: liveTimers.size, isBodyOpen };
  };
  return { stream, controller, left, received: () => given };
}

/** Reads this body to its end. */
async function read(pieces: readonly Uint8Array[], contentType: string, after: After = "end"): Promise<Result> {
  const { stream, left } = open(pieces, contentType, after);
  const events: AiEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  return { events, error, state: stream.state, left: await left() };
}

const nothingLeft = { listeners: 0, timers: 0, isBodyOpen: false };

/**
 * Checks what holds for every body: nothing is left behind, and the bytes that were sent hold what completes a stream.
 */
function expectTruth({ events, error, state, left }: Result, sent: Uint8Array): void {
  const last = events.at(-1);
  const isCompleted = last?.event === "response_completed";
  expect(state === "completed").toBe(isCompleted);
  expect(error === undefined).toBe(isCompleted);
  if (isCompleted) expect(completions(sent, events.slice(0, -1).every(isBeat))).toContainEqual(last);
  if (error !== undefined) {
    expect(error).toBeInstanceOf(ServiceApiError);
    if (error instanceof StreamError) expect(error.events).toBe(events.length);
    else
      expect([AbortError, UnexpectedResponseError, ServiceApiError].some((type) => error instanceof type)).toBe(true);
  }
  expect(left).toEqual(nothingLeft);
}

/**
 * Every event of these bytes that may complete a stream, found without any framing: each run from a brace to a brace
 * that is JSON and says so itself, or in the line before it, or is a whole response if only heartbeats came before it.
 */
function completions(sent: Uint8Array, mayBeWhole: boolean): object[] {
  const all = new TextDecoder().decode(sent);
  // SSE ignores a line whose field has an unknown name.
  const known = all.replace(/[\r\n]+(?!data|event)[^\r\n]*/g, "");
  return [all, known].flatMap((text) => completionsIn(text.replace(/[\r\n]+data: ?/g, "\n"), mayBeWhole));
}

function completionsIn(text: string, mayBeWhole: boolean): object[] {
  const isNamedOutside = /^event: ?response_completed[\r\n]/m.test(text);
  const found: object[] = [];
  for (const { index: from } of text.matchAll(/\{/g)) {
    for (const { index: to } of text.matchAll(/\}/g)) {
      const value = to > from ? parsed(text.slice(from, to + 1)) : undefined;
      if (value === undefined) continue;
      const { event, status } = value;
      const isUnnamed = typeof event !== "string";
      if (event === "response_completed") found.push(value);
      else if (isUnnamed && (isNamedOutside || (mayBeWhole && `${status}`.toUpperCase() === "SUCCESS"))) {
        found.push({ ...value, event: "response_completed" });
      }
    }
  }
  return found;
}

function parsed(text: string): { readonly event?: unknown; readonly status?: unknown } | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function inPieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length));
}

/** A stream of few bytes, so that it can be cut at each of them. */
const short = [
  { event: "response_initiated", context_token: "svc_a" },
  { event: "response_output", sequence_no: 1, system: { text_chunk: "é" } },
  { event: "response_output", sequence_no: 2, system: { text_chunk: "\ud83d" } },
  { event: "response_completed", context_token: "svc_a", system: { text: "é🙏" } },
];
const bytesOf = (text: string) => new TextEncoder().encode(text);
/** Number of bytes that hold these events, up to the brace that ends the last one. */
const endOf = (encode: FramingSample["encode"], events: readonly unknown[]) => {
  const text = encode(events);
  return bytesOf(text.slice(0, text.lastIndexOf("}") + 1)).length;
};
/** The same, with an event that only looks like the end. */
const nearly = [...short.slice(0, 3), { event: "other", status: "SUCCESS", context_token: "b", system: { text: "b" } }];

const whole = { status: "SUCCESS", context_token: "svc_b", system: { msg_id: "m", text: "another" } };
/** Ends of another kind, and events that only look like one. */
const oddities: readonly object[] = [
  { event: "response_failed", status: "FAILED" },
  { event: "response_snapshot", ...whole },
  { event: "note", status: "ERROR", status_code: "500" },
  { ...markdown.at(-1), status: "PENDING" },
  { ...markdown.at(-1), status: "ERROR", status_code: "500" },
  { ...markdown.at(-1), system: {} },
  { ...whole, event: 1 },
  { status: "FAILED" },
  { status: "PENDING" },
  {},
];

const { encode: lines } = framings.NDJSON;

/** Framings that can carry something other than an event. */
const plainFramings: Record<string, FramingSample> = {
  NDJSON: framings.NDJSON,
  SSE: framings["SSE with LF"],
  "SSE with the names outside": {
    contentType: "text/event-stream",
    encode: (events) =>
      events
        .map((value) => {
          const { event, ...rest } = value as { readonly event?: unknown };
          return typeof event === "string"
            ? `event: ${event}\ndata: ${JSON.stringify(rest)}\n\n`
            : `data: ${JSON.stringify(value)}\n\n`;
        })
        .join(""),
  },
};

/** Whether an event is that of no part of a response. */
const isBeat = (event: object) => "event" in event && (event.event === "other" || event.event === "note");

type End = "completed" | "truncated" | "failed" | "damagedEvent" | "refused";

/** The expected outcome of such a stream, read off its events one by one. */
function expected(events: readonly object[]): { end: End; delivered: readonly object[] } {
  for (const [i, value] of events.entries()) {
    const delivered = events.slice(0, i);
    const { event, status } = value as { readonly event?: unknown; readonly status?: unknown };
    if (event === "response_completed") {
      if (value === markdown.at(-1)) return { end: "completed", delivered: [...delivered, value] };
      return { end: status === "ERROR" ? "failed" : "damagedEvent", delivered };
    }
    if (typeof event !== "string") {
      const isFirst = delivered.every(isBeat);
      if (isFirst && status === "SUCCESS") {
        return { end: "completed", delivered: [...delivered, { ...value, event: "response_completed" }] };
      }
      if (isFirst && status !== undefined) return { end: "refused", delivered };
      return { end: status === "FAILED" ? "failed" : "damagedEvent", delivered };
    }
    if (status === "FAILED") return { end: "failed", delivered };
  }
  return { end: "truncated", delivered: events };
}

function endName({ state, error }: Result): string {
  if (error instanceof StreamFailedError) return error.reason;
  return state === "failed" ? "refused" : state;
}

const isNoOutput = (value: object) => (value as AiEvent).event !== "response_output";
const numberOf = (value: object) => (isNoOutput(value) ? undefined : (value as { sequence_no?: number }).sequence_no);

const anyFraming = fc.constantFrom(...Object.values(framings));
const anyCuts = fc.array(fc.nat(), { maxLength: 30 });

describe("a stream ends truthfully for any input", () => {
  it("any chunking yields the same events", async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFraming,
        fc.constantFrom(markdown, hindi),
        anyCuts,
        async ({ contentType, encode }, events, cuts) => {
          const result = await read(inPieces(bytesOf(encode(events)), cuts), contentType);
          expect(result).toEqual({ events, error: undefined, state: "completed", left: nothingLeft });
        },
      ),
    );
  });

  it.each(Object.entries(framings))(
    "%s, cut at every byte: truncated, or completed and then whole",
    async (_name, { contentType, encode }) => {
      const bytes = bytesOf(encode(short));
      const ends = short.map((_event, i) => endOf(encode, short.slice(0, i + 1)));
      for (let end = 0; end < bytes.length; end++) {
        const sent = bytes.subarray(0, end);
        const result = await read([sent], contentType, end % 2 === 0 ? "end" : "break");
        expectTruth(result, sent);
        const count = ends.filter((place) => place <= end).length;
        expect(result.events).toEqual(short.slice(0, count));
        if (count === short.length) expect(result.state).toBe("completed");
        // Until the framing is known, a few first characters are not a stream; from then on a cut is a cut.
        else if (result.state !== "truncated") expect([result.state, end < 8]).toEqual(["failed", true]);
      }
    },
  );

  it("mutated and random bytes end in one of the endings", async () => {
    const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom("set", "insert", "delete") });
    const mutated = fc
      .tuple(anyFraming, fc.constantFrom(short, nearly), fc.array(mutation, { minLength: 1, maxLength: 4 }))
      .map(([{ contentType, encode }, events, mutations]) => {
        const bytes = [...bytesOf(encode(events))];
        for (const { at, byte, kind } of mutations) {
          bytes.splice(at % bytes.length, kind === "insert" ? 0 : 1, ...(kind === "delete" ? [] : [byte]));
        }
        return { contentType, sent: new Uint8Array(bytes) };
      });
    const random = fc
      .tuple(anyFraming, fc.uint8Array({ maxLength: 200 }))
      .map(([{ contentType }, sent]) => ({ contentType, sent }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutated, random), anyCuts, async ({ contentType, sent }, cuts) => {
        expectTruth(await read(inPieces(sent, cuts), contentType), sent);
      }),
      { numRuns: 400 },
    );
  });

  it.each(Object.entries(plainFramings))("any order of events, repeated or left out: %s", async (_name, framing) => {
    const output = fc.constantFrom<object>(...markdown.slice(1, 6));
    const other = fc.constantFrom<object>(...markdown.slice(0, 1), { event: "other" });
    const last = fc.constantFrom<object>(...markdown.slice(-1), whole, ...oddities);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof({ arbitrary: output, weight: 6 }, { arbitrary: other, weight: 2 }, { arbitrary: last, weight: 1 }),
          { maxLength: 20 },
        ),
        anyCuts,
        async (events, cuts) => {
          const sent = bytesOf(framing.encode(events));
          const result = await read(inPieces(sent, cuts), framing.contentType);
          expectTruth(result, sent);
          const { end, delivered } = expected(events);
          expect(endName(result)).toBe(end);
          // Chunks are put in order and returned once; everything else keeps its place.
          expect(result.events.filter(isNoOutput)).toEqual(delivered.filter(isNoOutput));
          expect(new Set(result.events.map(numberOf))).toEqual(new Set(delivered.map(numberOf)));
          expect(result.events.length - result.events.filter(isNoOutput).length).toBe(
            new Set(delivered.map(numberOf).filter((number) => number !== undefined)).size,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it("chunks after the first, in any order within the window, yield the text in order, wherever they start", async () => {
    const text = fc.record({
      start: fc.constantFrom(0, 1, 2, 4, 1_000),
      words: fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 60 }),
      places: fc.infiniteStream(fc.double({ min: 0, max: 4, noNaN: true })),
      repeated: fc.nat({ max: 7 }),
    });
    await fc.assert(
      fc.asyncProperty(anyFraming, text, anyCuts, async (framing, { start, words, places, repeated }, cuts) => {
        const chunks = words
          // The first chunk is passed on as received.
          .map((word, i) => ({ event: chunk(start + i, word), place: i && i + (places.next().value ?? 0) }))
          .sort((a, b) => a.place - b.place)
          .map(({ event }) => event);
        const twice = chunks.at(-1 - (repeated % chunks.length));
        const events = [initiated(), ...chunks, ...(twice === undefined ? [] : [twice]), completed(words.join(""))];
        const { stream, left } = open(inPieces(bytesOf(framing.encode(events)), cuts), framing.contentType);
        let read = "";
        for await (const part of stream.textStream) read += part;
        expect(read).toBe(words.join(""));
        expect(stream).toMatchObject({ state: "completed", textMismatch: false });
        expect(await left()).toEqual(nothingLeft);
      }),
    );
  });

  it("a body that hangs at any byte stalls", async () => {
    const bytes = bytesOf(framings["SSE with LF"].encode(short));
    const ends = Array.from({ length: 12 }, (_, i) => Math.floor((bytes.length * i) / 12));
    for (const end of ends) {
      const sent = bytes.subarray(0, end);
      const result = await read([sent], "text/event-stream", "hang");
      expectTruth(result, sent);
      expect(result.state).toBe("stalled");
    }
  });
});

describe("a stream that is left at any moment", () => {
  const bytes = bytesOf(lines(markdown));
  const ends = markdown.map((_event, i) => endOf(lines, markdown.slice(0, i + 1)));

  /** Returns the events and the text in this number of bytes. */
  function contentOf(length: number) {
    const came = markdown.slice(0, ends.filter((end) => end <= length).length);
    const last = came.at(-1);
    const text = came.map((event) => (event.event === "response_output" ? event.system.text_chunk : "")).join("");
    return { events: came.length, partialText: last?.event === "response_completed" ? last.system.text : text };
  }

  const moment = fc.record({
    how: fc.constantFrom("abort", "signal", "return"),
    cuts: anyCuts,
    /** Number of bytes that arrive. */
    length: fc.oneof(fc.nat(bytes.length), fc.constant(bytes.length)),
    taken: fc.nat(markdown.length + 2),
    waiting: fc.nat(3),
    ticks: fc.nat(40),
    turns: fc.nat(2),
  });

  it("says so, keeps what was received, and leaves nothing behind", async () => {
    await fc.assert(
      fc.asyncProperty(moment, async ({ how, cuts, length, taken, waiting, ticks, turns }) => {
        const pieces = inPieces(bytes.subarray(0, length), cuts);
        const after = contentOf(length).events === markdown.length ? "end" : "hang";
        const { stream, controller, left, received } = open(pieces, "application/x-ndjson", after, 10_000);
        const iterator = stream[Symbol.asyncIterator]();
        const pulls: Promise<IteratorResult<AiEvent, undefined>>[] = [];
        for (let i = 0; i < taken && (i < contentOf(length).events || after === "end"); i++) {
          pulls.push(iterator.next());
          await pulls.at(-1);
        }
        for (let i = 0; i < waiting; i++) pulls.push(iterator.next());
        for (let i = 0; i < ticks; i++) await undefined;
        for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));

        const isCompleted = stream.state === "completed";
        const count = received();
        if (how === "abort") stream.abort("enough");
        else if (how === "signal") controller.abort("enough");
        else await iterator.return?.();
        // A stream that is not read yet notices the signal once it is read.
        pulls.push(iterator.next());
        const outcomes = await Promise.allSettled(pulls);
        const final = await stream.finalResponse().catch((thrown: unknown) => thrown);

        const events = outcomes.flatMap((pull) => (pull.status === "fulfilled" ? (pull.value.value ?? []) : []));
        const errors = outcomes.flatMap((pull) => (pull.status === "rejected" ? [pull.reason] : []));
        expect(events).toEqual(markdown.slice(0, events.length));
        expect(await left()).toEqual(nothingLeft);
        if (isCompleted) {
          expect([stream.state, errors, final]).toEqual(["completed", [], markdown.at(-1)]);
          return;
        }
        expect(stream.state).toBe("aborted");
        expect(final).toBeInstanceOf(AbortError);
        expect(errors).toEqual(how === "return" ? [] : [final]);
        const { reason, partialText, events: number } = final as AbortError;
        expect(reason).toBe(how === "return" ? undefined : "enough");
        expect(stream.partialText).toBe(partialText);
        // The last piece may have been on its way from the body still.
        const lengthOf = (some: readonly Uint8Array[]) => some.reduce((sum, piece) => sum + piece.length, 0);
        const possible = [count - 1, count].map((n) => contentOf(lengthOf(pieces.slice(0, Math.max(n, 0)))));
        expect(possible).toContainEqual({ events: number, partialText });
      }),
      { numRuns: 300 },
    );
  });
});
