import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { detectFraming, type FramingError, Utf8Decoder } from "../../src/ai/framing.ts";
import { framings } from "./support.ts";

const mebibyte = 1_048_576;

type Found = { readonly data: string } | "end" | FramingError;

/** A framing, and what it finds. */
function open(contentType: string, maxEventBytes: number) {
  const found: Found[] = [];
  const framing = detectFraming(contentType, maxEventBytes, {
    onEvent: (data) => found.push({ data }),
    onEnd: (error) => found.push(error ?? "end"),
  });
  return { framing, found };
}

function isError(found: Found | undefined): found is FramingError {
  return typeof found === "object" && "reason" in found;
}

/** The JSON of the events of a body that comes in chunks of `size` bytes, up to its end mark, or the error at which it stops. */
function cut(body: string, contentType: string, size: number, maxEventBytes = mebibyte): string[] | FramingError {
  const { framing, found } = open(contentType, maxEventBytes);
  const utf8 = new Utf8Decoder();
  const bytes = new TextEncoder().encode(body);
  for (let i = 0; i < bytes.length && !isError(found.at(-1)); i += size) {
    framing.push(utf8.decode(bytes.subarray(i, i + size)).text);
  }
  if (!isError(found.at(-1))) framing.end();
  const events: string[] = [];
  for (const one of found) {
    if (isError(one)) return one;
    if (one === "end") break;
    events.push(one.data);
  }
  return events;
}

const tooLarge = { reason: "tooLarge", text: "" };

function values(events: string[] | FramingError): unknown {
  return "reason" in events ? events : events.map((data) => JSON.parse(data));
}

describe.each(Object.entries(framings))("the framing %s", (_name, { contentType, encode }) => {
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
    expect(cut(body, contentType, 7)).toEqual({ reason, text: body.trimStart() });
  });

  it("reads no more of a body that is not a stream than its error shows", () => {
    const { framing, found } = open("text/html", mebibyte);
    let pushed = 0;
    while (found.length === 0 && pushed < 1000) {
      framing.push("<".repeat(1000));
      pushed++;
    }
    expect(found).toMatchObject([{ reason: "html" }]);
    expect(pushed).toBeLessThan(1000);
  });

  it.each([
    ["", "application/json"],
    ["\n\n  \n", "text/event-stream"],
    ["[]", "application/json"],
    [": only\n\n: comments\n\n", "text/event-stream"],
    ["data:\n\ndata: \n\ndata:  \t\n\n", "text/event-stream"],
    ["nothing of the standard\n\n", "text/event-stream"],
  ])("%j holds no event", (body, contentType) => {
    expect(cut(body, contentType, 7)).toEqual([]);
  });

  it.each([
    ["[1]", "application/json", "1]"],
    ['{"a":1}x', "application/json", "x"],
    ['{"a":"\u0001"}', "application/json", '{"a":"\u0001'],
    ["[[{}]]", "application/json", "[{}]]"],
    ['{"a":12}\n[{}]', "application/json", "[{}]"],
    ['[{"a":1}]     [{}]', "application/json", "[{}]"],
    ['{"a":\n{"b":1}\n', "application/x-ndjson", '{"a":\n'],
  ])("%j is damaged", (body, contentType, text) => {
    expect(cut(body, contentType, 7)).toEqual({ reason: "damagedEvent", text });
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
    const { framing, found } = open("", 1000);
    framing.push(start);
    for (let i = 0; i < 100 && found.length === 0; i++) framing.push("x".repeat(100));
    expect(found).toEqual([tooLarge]);
  });

  it("counts bytes, not characters", () => {
    const body = JSON.stringify({ t: "न".repeat(400) });
    expect(cut(body, "", 64, 1000)).toEqual(tooLarge);
    expect(cut(body, "", 64, 1208)).toHaveLength(1);
  });
});

/** The text of bytes that arrive in pieces, up to the first invalid one. */
function decode(bytes: Uint8Array, size: number): { text: string; isDamaged: boolean } {
  const utf8 = new Utf8Decoder();
  let all = "";
  for (let i = 0; i < bytes.length; i += size) {
    const { text, isValid } = utf8.decode(bytes.subarray(i, i + size));
    all += text;
    if (!isValid) return { text: all, isDamaged: true };
  }
  return { text: all, isDamaged: false };
}

describe("UTF-8", () => {
  it.each([1, 2, 3, 5, 64])("a character that a chunk cuts is put together again (pieces of %i bytes)", (size) => {
    const text = "\uFEFFa é न 🙏 \uFFFD 👨‍👩‍👧‍👦\uFEFF";
    expect(decode(new TextEncoder().encode(text), size)).toEqual({ text, isDamaged: false });
  });

  it.each([[[0xff]], [[0xc3, 0x28]], [[0xe2, 0x82, 0x28]], [[0x80]], [[0xf8, 0x88, 0x80, 0x80]], [[0xed, 0xa0, 0x80]]])(
    "%j is not a character; what precedes it is kept, however the bytes are split",
    (bad) => {
      const bytes = new Uint8Array([
        ...new TextEncoder().encode("before न"),
        ...bad,
        ...new TextEncoder().encode("after"),
      ]);
      for (let size = 1; size <= bytes.length; size++) {
        expect(decode(bytes, size)).toEqual({ text: "before न", isDamaged: true });
      }
    },
  );

  it("a character that the end cuts is not returned", () => {
    expect(decode(new TextEncoder().encode("a🙏").subarray(0, 4), 2)).toEqual({ text: "a", isDamaged: false });
  });

  it("for any bytes and pieces: the same text, and the same verdict", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (bytes, size) => {
        const whole = decode(bytes, 64);
        const pieces = decode(bytes, size);
        expect(pieces.text).toBe(whole.text);
        expect(pieces.isDamaged).toBe(whole.isDamaged);
      }),
    );
  });
});
