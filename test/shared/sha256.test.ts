import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/shared/bytes.ts";
import { sha256 } from "../../src/shared/sha256.ts";

const text = "नमस्ते ₹";
const expected = createHash("sha256").update(text).digest("hex");

describe("sha256", () => {
  it("needs no WebCrypto on Node: jsdom replaces it by one without `subtle`", async () => {
    vi.stubGlobal("crypto", {});
    expect(toHex(await sha256(text))).toBe(expected);
  });

  it("is the same where there is WebCrypto alone", async () => {
    vi.stubGlobal("process", undefined);
    expect(toHex(await sha256(text))).toBe(expected);
  });
});
