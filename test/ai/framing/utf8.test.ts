import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Utf8Decoder } from "../../../src/ai/framing/utf8.ts";

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
