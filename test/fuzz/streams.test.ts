import fc from "fast-check";
import { describe, expect } from "vitest";
import { uiMessageResponse, uiMessageStream } from "../../src/ai/ui-messages/index.ts";
import { ServiceApiError } from "../../src/errors/index.ts";
import { ServiceApi } from "../../src/index.ts";
import { chunk, completed, initiated } from "../ai/events.ts";
import { framings, hindi, markdown } from "../ai/support.ts";
import { drifted, toList } from "./inputs.ts";
import { property } from "./property.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const framing = fc.constantFrom(...Object.values(framings));
const cuts = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 20 });

/** Bytes of a stream: of the samples, of changed events, with changed bytes, and of anything. */
const anyBody = fc.oneof(
  fc.tuple(framing, fc.constantFrom(markdown, hindi)).map(([{ encode }, events]) => bytesOf(encode(events))),
  fc
    .tuple(framing, fc.array(drifted(chunk(1, "text")), { maxLength: 6 }))
    .map(([{ encode }, events]) => bytesOf(encode([initiated(), ...events, completed("text")]))),
  fc.tuple(framing, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 })).map(([{ encode }, at, changed]) => {
    const bytes = bytesOf(encode(hindi));
    bytes.set(changed, at % (bytes.length - changed.length));
    return bytes;
  }),
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

function open(pieces: readonly Uint8Array[], contentType: string) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const headers: Record<string, string> = contentType === "" ? {} : { "content-type": contentType };
  const settings = { baseUrl: "https://service.example", clientId: "id", clientSecret: "secret", idleTimeout: 5_000 };
  return new ServiceApi({ ...settings, fetch: async () => new Response(body, { headers }) }).ai.stream({
    user: { text: "Hello" },
  });
}

/** All that a caller sees of a stream, without the reading of its time. */
async function read(pieces: readonly Uint8Array[], contentType: string) {
  const stream = open(pieces, contentType);
  const events: unknown[] = [];
  let kind: string | undefined;
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    if (!ServiceApiError.isInstance(error)) throw error;
    ({ kind } = error);
  }
  const { state, partialText: text, textMismatch, warnings } = stream;
  return { events, kind, state, text, textMismatch, warnings };
}

describe("a stream", () => {
  const input = fc.record({ body: anyBody, cuts, others: cuts, framing });
  property(
    "has the same events, text and end however its bytes are cut",
    input,
    async ({ body, cuts, others, framing }) => {
      const { contentType } = framing;
      const whole = await read([body], contentType);
      expect(await read(inPieces(body, cuts), contentType)).toEqual(whole);
      expect(await read(inPieces(body, others), contentType)).toEqual(whole);
      expect(whole.kind === undefined).toBe(whole.state === "completed");
    },
  );

  const relayed = fc.record({ body: anyBody, cuts, format: fc.constantFrom("sse", "text", "ui-message") });
  property("is relayed to its end, or breaks off, in every format", relayed, async ({ body, cuts, format }) => {
    const pieces = inPieces(body, cuts);
    const { state, text, textMismatch } = await read(pieces, "text/event-stream");
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

  property("is read by the AI SDK's stream as well", fc.record({ body: anyBody, cuts }), async ({ body, cuts }) => {
    const pieces = inPieces(body, cuts);
    const chunks = await toList(uiMessageStream(open(pieces, "text/event-stream")));
    expect(chunks.map(({ type }) => type)[0]).toBe("start");
    expect(["finish", "error"]).toContain(chunks.at(-1)?.type);
    const response = uiMessageResponse(open(pieces, "text/event-stream"), { heartbeat: false });
    expect(await response.text()).toContain("data: ");
  });
});
