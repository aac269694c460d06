import { describe, expect, it } from "vitest";
import { DetectedFraming } from "../../../src/ai/framing/detect.ts";
import type { Frame, FramingError, Piece } from "../../../src/ai/framing/frame.ts";
import { Utf8Decoder } from "../../../src/ai/framing/utf8.ts";
import { framings, hindi, markdown, surrogates } from "../support.ts";

const mebibyte = 1_048_576;

/** All pieces of a body that comes in chunks of `size` bytes, up to an error. */
function piecesOf(body: string, contentType: string, size: number, maxEventBytes: number): Piece[] {
  const framing = new DetectedFraming(contentType, maxEventBytes);
  const utf8 = new Utf8Decoder();
  const bytes = new TextEncoder().encode(body);
  const pieces: Piece[] = [];
  for (let i = 0; i < bytes.length; i += size) {
    pieces.push(...framing.push(utf8.decode(bytes.subarray(i, i + size)).text));
    if (pieces.at(-1)?.kind === "error") return pieces;
  }
  return [...pieces, ...framing.end()];
}

/** The frames of a body up to its end mark, or the error at which the framing stops. */
function cut(body: string, contentType: string, size: number, maxEventBytes = mebibyte): Frame[] | FramingError {
  const frames: Frame[] = [];
  for (const piece of piecesOf(body, contentType, size, maxEventBytes)) {
    if (piece.kind === "error") return piece;
    if (piece.kind === "end") break;
    frames.push(piece);
  }
  return frames;
}

const tooLarge = { kind: "error", reason: "tooLarge", text: "" };

function values(frames: Frame[] | FramingError): unknown {
  return "kind" in frames ? frames : frames.map(({ data }) => JSON.parse(data));
}

describe.each(Object.entries(framings))("the framing %s", (_name, { contentType, encode }) => {
  it.each([
    ["Markdown", markdown],
    ["Devanagari and emoji, one code point a chunk", hindi],
    ["lone surrogates, one UTF-16 unit a chunk", surrogates],
  ])("returns the events of a stream of %s, whole and byte by byte", (_sample, events) => {
    const body = encode(events);
    expect(values(cut(body, contentType, Number.POSITIVE_INFINITY))).toEqual(events);
    expect(values(cut(body, contentType, 1))).toEqual(events);
  });

  it("returns the same events wherever it is cut in two", () => {
    const events = [{ event: "a", text: 'é"\\\u2028🙏{}[]\r\n' }, { event: "b" }];
    const body = encode(events);
    const length = new TextEncoder().encode(body).length;
    for (let size = 1; size < length; size++) expect(values(cut(body, contentType, size))).toEqual(events);
  });
});

describe("the first characters of a body decide if its content type is wrong", () => {
  it.each([
    ["<!doctype html><p>Bad gateway", "text/event-stream", "html"],
    ["  <html>", "application/json", "html"],
    ["Service unavailable", "text/plain", "notJson"],
    ["no", "", "notJson"],
    ["dat", "", "notJson"],
    ["null", "application/json", "notObject"],
    ['"text"', "application/json", "notObject"],
  ])("%j as %s is %s", (body, contentType, reason) => {
    expect(cut(body, contentType, 7)).toEqual({ kind: "error", reason, text: body.trimStart() });
  });

  it("reads no more of a body that is not a stream than its error shows", () => {
    const framing = new DetectedFraming("text/html", mebibyte);
    let pushed = 0;
    let pieces: readonly Piece[] = [];
    while (pieces.length === 0 && pushed < 1000) {
      pieces = framing.push("<".repeat(1000));
      pushed++;
    }
    expect(pieces).toMatchObject([{ kind: "error", reason: "html" }]);
    expect(pushed).toBeLessThan(1000);
  });

  it.each([
    ["", "application/json"],
    ["\n\n  \n", "text/event-stream"],
    ["[]", "application/json"],
    [": only\n\n: comments\n\n", "text/event-stream"],
    ["data:\n\ndata: \n\n", "text/event-stream"],
    ["nothing of the standard\n\n", "text/event-stream"],
  ])("%j holds no event", (body, contentType) => {
    expect(cut(body, contentType, 7)).toEqual([]);
  });

  it.each([
    ["[1]", "application/json", "1]"],
    ['{"a":1}x', "application/json", "x"],
    ['{"a":"\u0001"}', "application/json", '{"a":"\u0001'],
    ["[[{}]]", "application/json", "[{}]]"],
    ['{"a":\n{"b":1}\n', "application/x-ndjson", '{"a":\n'],
  ])("%j is damaged", (body, contentType, text) => {
    expect(cut(body, contentType, 7)).toEqual({ kind: "error", reason: "damagedEvent", text });
  });
});

describe("an event is bounded", () => {
  const event = (bytes: number) => [{ t: "x".repeat(bytes - '{"t":""}'.length) }];

  it.each(Object.entries(framings).filter(([name]) => !/many lines|several lines/.test(name)))(
    "%s: to the byte, with any chunking",
    (_name, { contentType, encode }) => {
      for (const size of [1, 3, 1000]) {
        expect(cut(encode(event(500)), contentType, size, 500)).toHaveLength(1);
        expect(cut(encode(event(501)), contentType, size, 500)).toEqual(tooLarge);
      }
    },
  );

  it("SSE of several lines with long fields after them: with any chunking too", () => {
    const body = (bytes: number) => {
      const data = JSON.stringify({ t: "x".repeat(bytes - 12) }, null, 1);
      expect(data).toHaveLength(bytes);
      return `data: ${data.replaceAll("\n", "\ndata: ")}\nid: ${"1".repeat(4_000)}\nretry: ${"2".repeat(4_000)}\n\n`;
    };
    for (const size of [1, 7, 1_000, Number.POSITIVE_INFINITY]) {
      expect(cut(body(500), "text/event-stream", size, 500)).toHaveLength(1);
      expect(cut(body(501), "text/event-stream", size, 500)).toEqual(tooLarge);
    }
  });

  it.each(["data: ", '{"a":"', "[{"])("gives up on an endless line that begins with %j", (start) => {
    const framing = new DetectedFraming("", 1000);
    let pieces = framing.push(start);
    for (let i = 0; i < 100 && pieces.length === 0; i++) pieces = framing.push("x".repeat(100));
    expect(pieces).toEqual([tooLarge]);
  });

  it("counts bytes, not characters", () => {
    const body = JSON.stringify({ t: "न".repeat(400) });
    expect(cut(body, "", 64, 1000)).toEqual(tooLarge);
    expect(cut(body, "", 64, 1208)).toHaveLength(1);
  });
});
