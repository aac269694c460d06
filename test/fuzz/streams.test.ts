import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect } from "vitest";
import { RelayError, readRelay } from "../../src/ai/entry.ts";
import { streamResponse } from "../../src/ai/operations.ts";
import { OpenStream } from "../../src/ai/stream/open-stream.ts";
import type { StreamEnding } from "../../src/ai/stream/stream-errors.ts";
import { ServiceApi, type ServiceApiError } from "../../src/index.ts";
import { CallScope } from "../../src/transport/cancellation.ts";
import type { StreamingCall } from "../../src/transport/request.ts";
import { chunk, completed, initiated } from "../ai/events.ts";
import { framings, hindi, markdown, surrogates } from "../ai/support.ts";
import { streamOf } from "../support/stream-of.ts";
import { drifted, refusesTyped, toList } from "./inputs.ts";
import { property } from "./property.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const framing = fc.constantFrom(...Object.values(framings));
const cuts = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 20 });

/** A few events of a sample in a row, with its first and last: the longest sample has 232 of them, and nothing new after ten. */
const fewEvents = fc
  .tuple(fc.constantFrom(markdown, hindi, surrogates), fc.nat(), fc.nat(8))
  .map(([events, from, count]) => {
    const at = 1 + (from % (events.length - 1));
    return [...events.slice(0, 1), ...events.slice(at, at + count), ...events.slice(-1)];
  });
const changedEvents = fc
  .array(drifted(chunk(1, "text")), { maxLength: 6 })
  .map((events) => [initiated(), ...events, completed("text")]);
const encoded = fc
  .tuple(framing, fc.oneof(fewEvents, changedEvents))
  .map(([{ encode }, events]) => bytesOf(encode(events)));

/** Bytes of a stream: of the samples, of changed events, with changed bytes, cut, and of anything. */
const anyBody = fc.oneof(
  encoded,
  encoded,
  fc.tuple(encoded, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([bytes, at, changed]) => {
    // A copy: fast-check makes several inputs of one value.
    const copy = bytes.slice();
    copy.set(changed, at % (copy.length - changed.length));
    return copy;
  }),
  fc.tuple(encoded, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % bytes.length)),
  fc.uint8Array({ maxLength: 400 }),
);

function inPieces(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const length = lengths[i % lengths.length] ?? bytes.length;
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

const headersOf = (contentType: string): Record<string, string> =>
  contentType === "" ? {} : { "content-type": contentType };
/** Bytes that are there at once are not waited for; test/ai/stream/deadlines.test.ts has the waiting. */
const noTimers = {
  timeout: false,
  totalTimeout: false,
  stream: { idleTimeout: false, eventTimeout: false, reorderTimeout: false },
} as const;

function responseOf(pieces: readonly Uint8Array[], contentType: string): Response {
  return new Response(streamOf(pieces), { headers: headersOf(contentType) });
}

/** All that is made of a body: no client is needed for it. */
async function decode(pieces: readonly Uint8Array[], contentType: string) {
  const drifts: unknown[] = [];
  const call = {
    options: noTimers,
    response: responseOf(pieces, contentType),
    startedAt: 0,
    operation: streamResponse,
    progress: { attempts: 1 },
    secrets: [],
    body: {},
    scope: new CallScope(undefined, Number.POSITIVE_INFINITY),
    reporter: { report: (event: unknown) => drifts.push(event) },
  };
  const stream = new OpenStream(call as unknown as StreamingCall);
  const events: unknown[] = [];
  while (stream.ending === undefined) {
    await stream.receive();
    for (let event = stream.next(); event !== undefined; event = stream.next()) events.push(event);
  }
  return { events, state: stream.ending.state, error: errorOf(stream.ending), warnings: stream.warnings, drifts };
}

function errorOf(ending: StreamEnding) {
  if (ending.toError === undefined) return undefined;
  const shared = { operation: "ai.stream", partialText: "", contextToken: undefined, events: 0 };
  const details = { ...shared, message: ending.happened ?? "" };
  const error: ServiceApiError & { readonly body?: unknown } = ending.toError(details, true);
  return { ...error, message: error.message, body: error.body, cause: error.cause };
}

type Decoded = Awaited<ReturnType<typeof decode>>;

/** Damage ends a stream at once, with what was received until then: compares what both have of it. */
function shorten(decoded: Decoded, other: Decoded): object {
  const [body, theirs] = [decoded.error?.body, other.error?.body];
  const isDamaged = decoded.error?.message.includes("an event could not be read");
  if (!isDamaged || typeof body !== "string" || typeof theirs !== "string") return decoded;
  return { ...decoded, error: { ...decoded.error, body: body.slice(0, theirs.length) } };
}

const settings = { baseUrl: "https://service.example", clientId: "id", clientSecret: "secret", ...noTimers };

function open(pieces: readonly Uint8Array[], contentType: string, isTurn = false) {
  const response = responseOf(pieces, contentType);
  const { ai } = new ServiceApi({ ...settings, fetch: async () => response });
  return isTurn ? ai.conversation().stream("Hello") : ai.stream({ user: { text: "Hello" } });
}

/** All that a caller sees of a stream, without the reading of its time. */
async function read(pieces: readonly Uint8Array[], contentType: string, isTurn = false) {
  const stream = open(pieces, contentType, isTurn);
  const events: unknown[] = [];
  const error = await refusesTyped(async () => {
    for await (const event of stream) events.push(event);
  });
  const { state, partialText: text, textMismatch, warnings } = stream;
  return { events, kind: error?.kind, state, text, textMismatch, warnings };
}

/** As `toEqual`, which takes longer than all else that is done with an input. */
function expectSame(value: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(value, expected)) expect(value).toEqual(expected);
}

describe("a stream", () => {
  const input = fc.record({ body: anyBody, cuts, framing });
  property("is decoded alike however its bytes are cut", input, async ({ body, cuts, framing: { contentType } }) => {
    const [whole, inParts] = [await decode([body], contentType), await decode(inPieces(body, cuts), contentType)];
    expect(whole.state).toMatch(/^(completed|failed|truncated)$/);
    expectSame(shorten(inParts, whole), shorten(whole, inParts));
  });

  property(
    "has the same events, text and end however its bytes are cut",
    input,
    async ({ body, cuts, framing: { contentType } }) => {
      const whole = await read([body], contentType, true);
      expectSame(await read(inPieces(body, cuts), contentType), whole);
      expect(whole.kind === undefined).toBe(whole.state === "completed");
    },
  );

  const relayed = fc.record({ body: anyBody, cuts, format: fc.constantFrom("sse", "text", "ui-message") });
  property("is relayed to its end, or breaks off, in every format", relayed, async ({ body, cuts, format }) => {
    const pieces = inPieces(body, cuts);
    const { state, text, textMismatch } = await read([body], "text/event-stream");
    const response = open(pieces, "text/event-stream").toResponse({ format, heartbeat: false });
    const sent = await response.text().catch((error: unknown) => error);
    if (format === "text") {
      if (textMismatch) return;
      if (state === "completed") expect(sent).toBe(text);
      else expect(sent).toBeInstanceOf(Error);
      return;
    }
    expect(sent).toBeTypeOf("string");
    // Each record is a line of data, or a comment; none is cut.
    for (const line of String(sent).split(/\r\n|\r|\n/)) expect(line).toMatch(/^$|^(?:data|event|id):? ?|^:/);
  });

  property("is read from its relay as in a page", fc.record({ body: anyBody, cuts }), async ({ body, cuts }) => {
    const { state } = await read([body], "text/event-stream");
    const response = open(inPieces(body, cuts), "text/event-stream").toResponse({ heartbeat: false });
    const error = await toList(readRelay(response)).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (error === undefined) expect(state).toBe("completed");
    else expect(error).toBeInstanceOf(RelayError);
  });

  property("is read by the AI SDK's stream as well", fc.record({ body: anyBody, cuts }), async ({ body, cuts }) => {
    const chunks = await toList(open(inPieces(body, cuts), "text/event-stream").toUiMessageStream());
    expect(chunks.map(({ type }) => type)[0]).toBe("start");
    expect(["finish", "error"]).toContain(chunks.at(-1)?.type);
  });
});
