import { expect, it } from "vitest";
import { cutText, KeptPieces, shorten } from "../../../src/emulator/console/kept.ts";

it("a value that fits is copied as it is", () => {
  const value = { a: [1, "x", null, { b: true }], c: "" };
  expect(shorten(value)).toEqual(value);
  expect(shorten("x")).toBe("x");
  expect(shorten(null)).toBe(null);
});

it.each([
  ["a long string", { a: "x".repeat(5_000_000) }],
  ["a long name", { ["x".repeat(5_000_000)]: 1 }],
  ["many strings", Array.from({ length: 10_000 }, () => "x".repeat(100))],
  ["many numbers", Array.from({ length: 1_000_000 }, (_, i) => i)],
  ["many fields", Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]))],
  ["many lists", Array.from({ length: 100_000 }, () => [[[]]])],
  ["depth", JSON.parse("[".repeat(100_000) + "]".repeat(100_000))],
])("%s is cut to what a page can show", (_, value) => {
  expect(JSON.stringify(shorten(value)).length).toBeLessThan(50_000);
});

it("what was cut says so", () => {
  expect(cutText("abcdef", 3)).toBe("abc… (6 characters)");
  const list = shorten(Array.from({ length: 10_000 }, () => 1)) as unknown[];
  expect(list.at(-1)).toBe(`… ${10_000 - list.length + 1} more`);
});

it("a name `__proto__` is a field like any other", () => {
  expect(JSON.stringify(shorten(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}');
});

it("of a stream, the first pieces are kept", () => {
  const pieces = new KeptPieces();
  for (let count = 0; count < 100_000; count++) pieces.add(new TextEncoder().encode(`data: ${count}\n\n`));
  expect(pieces.kept).toHaveLength(401);
  expect(pieces.kept[0]).toBe("data: 0\n\n");
  expect(pieces.kept.at(-1)).toBe("… 99600 more");
  const large = new KeptPieces();
  for (let count = 0; count < 100; count++) large.add(new Uint8Array(1_000_000).fill(120));
  expect(large.kept.join("").length).toBeLessThan(50_000);
});
