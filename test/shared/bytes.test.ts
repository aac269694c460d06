import { describe, expect, it } from "vitest";
import { concatBytes, decodeUtf8, fromBase64, joinChunks, toBase64, toHex } from "../../src/shared/bytes.ts";

const [one, two] = [Uint8Array.of(0, 1), Uint8Array.of(254)];

describe("bytes", () => {
  it("are joined in their order, in a new buffer", () => {
    expect(concatBytes([one, new Uint8Array(), two])).toEqual(Uint8Array.of(0, 1, 254));
    expect(concatBytes([])).toEqual(new Uint8Array());
    expect(concatBytes([one])).not.toBe(one);
  });

  it("of a single chunk are not copied", () => {
    expect(joinChunks([one])).toBe(one);
    expect(joinChunks([one, two])).toEqual(Uint8Array.of(0, 1, 254));
    expect(joinChunks([])).toEqual(new Uint8Array());
  });

  it("are two lower-case digits each in hex", () => {
    expect(toHex(concatBytes([one, two]))).toBe("0001fe");
  });

  it("are base64, and are read from it", () => {
    expect(toBase64(concatBytes([one, two]))).toBe("AAH+");
    expect(fromBase64("AAH+")).toEqual(Uint8Array.of(0, 1, 254));
    for (const text of ["AAH-", "A", "é"]) expect(fromBase64(text)).toBeUndefined();
  });

  it("are decoded if they are UTF-8, with their byte order mark if that is requested", () => {
    const bytes = new TextEncoder().encode("\ufeffé😀");
    expect(decodeUtf8(bytes)).toBe("é😀");
    expect(decodeUtf8(bytes, true)).toBe("\ufeffé😀");
    for (const wrong of [two, bytes.subarray(0, -1)]) expect(decodeUtf8(wrong)).toBeUndefined();
  });
});
