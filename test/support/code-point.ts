import fc from "fast-check";

/** Any code point. fast-check's `binary` is the same, and makes a map of all 1,114,112 for each arbitrary of strings. */
export const codePoint = fc.integer({ min: 0, max: 0x10ffff }).map((number) => String.fromCodePoint(number));
