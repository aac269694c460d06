import { describe, expect, it } from "vitest";
import { concatBytes, decodeUtf8, joinChunks, toHex } from "../../src/shared/bytes.ts";

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

  it("are decoded if they are UTF-8", () => {
    expect(decodeUtf8(new TextEncoder().encode("नमस्ते"))).toBe("नमस्ते");
    expect(decodeUtf8(Uint8Array.of(0xc3))).toBeUndefined();
  });
});
