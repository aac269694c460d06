import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { AiEvent } from "../../src/ai/types.ts";
import { AbortError, ServiceApiError, StreamError, UnexpectedResponseError } from "../../src/errors.ts";
import { ServiceApi } from "../../src/index.ts";
import { framings, hindi, markdown } from "./support.ts";

/** What reading a body came to, and what it left behind. */
interface Result {
  readonly events: readonly AiEvent[];
  readonly error: unknown;
  readonly state: string;
  readonly left: { readonly listeners: number; readonly timers: number; readonly isBodyOpen: boolean };
}

const liveTimers = new Set<unknown>();
const { setTimeout: realSetTimeout, clearTimeout: realClearTimeout } = globalThis;

beforeAll(() => {
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
afterAll(() => vi.unstubAllGlobals());

/** Reads a body that comes in these pieces, through the whole client; `after` is what the body does at its end. */
async function read(
  pieces: readonly Uint8Array[],
  contentType: string,
  after: "end" | "break" | "hang" = "end",
): Promise<Result> {
  let isBodyOpen = true;
  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[next++];
      if (piece !== undefined) return controller.enqueue(piece);
      if (after === "hang") return new Promise(() => {});
      isBodyOpen = false;
      if (after === "break") controller.error(new TypeError("terminated"));
      else controller.close();
    },
    cancel() {
      isBodyOpen = false;
    },
  });
  const { signal } = new AbortController();
  const api = new ServiceApi({
    baseUrl: "https://service.example",
    clientId: "id",
    clientSecret: "secret",
    maxEventBytes: 4_096,
    idleTimeout: 50,
    fetch: async () => new Response(body, { headers: contentType === "" ? {} : { "content-type": contentType } }),
  });
  const stream = api.ai.stream({ user: { text: "Hello" } }, { signal });
  const events: AiEvent[] = [];
  let error: unknown;
  try {
    for await (const event of stream) events.push(event);
  } catch (thrown) {
    error = thrown;
  }
  // What is left of a body after its last event is read by the way; a timer that is forgotten stays for longer.
  for (let turn = 0; turn < 20 && liveTimers.size > 0; turn++) await new Promise((resolve) => setImmediate(resolve));
  const left = { listeners: getEventListeners(signal, "abort").length, timers: liveTimers.size, isBodyOpen };
  return { events, error, state: stream.state, left };
}

const nothingLeft = { listeners: 0, timers: 0, isBodyOpen: false };

/** What holds for every body there is. */
function expectTruth({ events, error, state, left }: Result): void {
  const isCompleted = events.at(-1)?.event === "response_completed";
  expect(state === "completed").toBe(isCompleted);
  expect(error === undefined).toBe(isCompleted);
  if (error !== undefined) {
    expect(error).toBeInstanceOf(ServiceApiError);
    if (error instanceof StreamError) expect(error.events).toBe(events.length);
    else
      expect([AbortError, UnexpectedResponseError, ServiceApiError].some((type) => error instanceof type)).toBe(true);
  }
  expect(left).toEqual(nothingLeft);
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
const anyFraming = fc.constantFrom(...Object.values(framings));
const anyCuts = fc.array(fc.nat(), { maxLength: 30 });

describe("a stream never lies, whatever comes", () => {
  it("any chunking gives the same events", async () => {
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
      for (let end = 0; end < bytes.length; end++) {
        const result = await read([bytes.subarray(0, end)], contentType, end % 2 === 0 ? "end" : "break");
        expectTruth(result);
        expect(result.events).toEqual(short.slice(0, result.events.length));
        if (result.state !== "completed") expect(["truncated", "failed"]).toContain(result.state);
        // Until the framing is known, a few first characters are no stream; from then on a cut is a cut.
        if (result.state === "failed") expect(end).toBeLessThan(8);
      }
    },
  );

  it("mutated bytes end in one of the endings", async () => {
    const mutation = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom("set", "insert", "delete") });
    await fc.assert(
      fc.asyncProperty(
        anyFraming,
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        anyCuts,
        async (framing, mutations, cuts) => {
          const bytes = [...bytesOf(framing.encode(short))];
          for (const { at, byte, kind } of mutations) {
            bytes.splice(at % bytes.length, kind === "insert" ? 0 : 1, ...(kind === "delete" ? [] : [byte]));
          }
          expectTruth(await read(inPieces(new Uint8Array(bytes), cuts), framing.contentType));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("bytes that are nothing at all end in one of the endings", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), anyFraming, anyCuts, async (bytes, { contentType }, cuts) => {
        expectTruth(await read(inPieces(bytes, cuts), contentType));
      }),
      { numRuns: 200 },
    );
  });

  it("any order of events, repeated or left out", async () => {
    const failed = { event: "response_failed", status: "FAILED" };
    const pool: object[] = [
      ...markdown.slice(0, 6),
      ...markdown.slice(-1),
      failed,
      { event: "other" },
      { event: 1 },
      {},
      [],
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...pool), { maxLength: 20 }),
        anyFraming,
        async (events, { contentType, encode }) => {
          // What is no event cannot be written by every framing; it is what a broken sender would send.
          const text = events.every((event) => "event" in event)
            ? encode(events)
            : events.map((event) => `${JSON.stringify(event)}\n`).join("");
          expectTruth(await read([bytesOf(text)], contentType));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("a body that hangs at any byte stalls, unless it was complete", async () => {
    const bytes = bytesOf(framings["SSE with LF"]?.encode(short) ?? "");
    const ends = Array.from({ length: 12 }, (_, i) => Math.floor((bytes.length * i) / 12));
    const results = [];
    for (const end of ends) results.push(await read([bytes.subarray(0, end)], "text/event-stream", "hang"));
    for (const result of results) {
      expectTruth(result);
      expect(result.state).toBe("stalled");
    }
  });
});
