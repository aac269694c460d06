import { describe, expect, it } from "vitest";
import { isPrintable } from "../../src/shared/printable.ts";

describe("isPrintable", () => {
  it.each(["", "po-1", "order 17", "ऑर्डर", "é", "😀"])("%j is printable", (text) => {
    expect(isPrintable(text)).toBe(true);
  });

  it.each(["a\n", "\u0000", "\u007f", "\u0085", "\u200b", "\u202e", "\ue000", "\u0378", "\ud800", "a\udfff"])(
    "%j is not",
    (text) => {
      expect(isPrintable(text)).toBe(false);
    },
  );
});
