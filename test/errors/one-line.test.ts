import { describe, expect, it } from "vitest";
import { oneLine } from "../../src/errors/one-line.ts";

describe("oneLine", () => {
  it.each([
    ["a line break", "no\r\n2026-11-20 paid", "no 2026-11-20 paid"],
    ["line and paragraph separators", "a\u2028b\u2029c\u0085d\vf", "a b c d f"],
    ["an escape sequence", "a\x1b[2Kb\x9b1A", "a [2Kb 1A"],
    ["a line break behind a space, and no second one", "no \n\x1bfare", "no fare"],
    ["what hides text", "a\0b\bc\x7f", "a b c "],
    ["bidi controls", "a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061cd", "a b c d"],
  ])("puts a space for %s", (_name, text, shown) => {
    expect(oneLine(text)).toBe(shown);
  });

  it.each(["", "no fare", "नमस्ते क्\u200dष", "שלום", "👩\u200d🚀"])("leaves %j as it is", (text) => {
    expect(oneLine(text)).toBe(text);
  });
});
