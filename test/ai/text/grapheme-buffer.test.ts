import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GraphemeBuffer } from "../../../src/ai/text/text-stream.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const characters = (text: string) => Array.from(segmenter.segment(text), ({ segment }) => segment);

function parts(chunks: readonly string[]): string[] {
  const whole = new GraphemeBuffer();
  return [...chunks.map((chunk) => whole.push(chunk)), whole.flush()].filter((part) => part !== "");
}

describe("text is passed on in whole characters", () => {
  it.each(["नमस्ते", "क्षत्रिय श्री", "👨‍👩‍👧‍👦🇮🇳👍🏽", "é\u0301a", "שלום", "a\r\nb", "வணக்கம்", "a👩\u200d👧b"])(
    "%s, by UTF-16 unit",
    (text) => {
      const given = parts(text.split(""));
      expect(given.join("")).toBe(text);
      expect(given.flatMap(characters)).toEqual(characters(text));
    },
  );

  it.each([
    ["a word", ["Hello", " wor", "ld", "!"]],
    ["one letter at a time", ["H", "e", "l", "l", "o"]],
    ["digits and signs", ["1", "2,", "3", ".", "5%"]],
    ["line ends", ["a\n", "b\n"]],
    ["a mark behind a letter, in the same chunk and in one of its own", ["e\u0301", "a", "\u0301", "\u0308", "b"]],
    ["a keycap", ["1", "\ufe0f", "\u20e3", "."]],
  ])("ASCII does not wait for what follows: %s", (_case, chunks) => {
    const whole = new GraphemeBuffer();
    expect(chunks.map((chunk) => whole.push(chunk))).toEqual(chunks);
    expect(whole.flush()).toBe("");
  });

  it.each([
    ["half a surrogate pair", "a\ud83d", "a"],
    ["half a pair behind a letter that waits", "aन\ud83d", "a"],
    ["a letter that may get a vowel sign", "aन", "a"],
    ["a letter with its sign, which may get another", "aनि", "a"],
    ["an emoji that may get a skin tone", "a👍", "a"],
    ["a joiner", "👩\u200d", ""],
    ["half a flag", "a🇮", "a"],
    ["a letter that is not ASCII", "caf\u00e9", "caf"],
    ["the first half of a line end", "a\r", "a"],
  ])("what can still grow in sight waits: %s", (_case, chunk, given) => {
    const whole = new GraphemeBuffer();
    expect(whole.push(chunk)).toBe(given);
    expect(whole.flush()).toBe(chunk.slice(given.length));
  });

  it("a lone surrogate that stays alone is passed on unchanged", () => {
    expect(parts(["a\ud83d", "b"]).join("")).toBe("a\ud83db");
    expect(parts(["a", "\ud83d"]).join("")).toBe("a\ud83d");
  });

  it("a character without an end is not held back indefinitely, nor is its surrogate pair cut", () => {
    const whole = new GraphemeBuffer();
    let given = "";
    for (let i = 0; i < 1_000; i++) given += whole.push("\u0301");
    expect(given.length).toBeGreaterThan(700);
    expect(whole.push(`${"\u0301".repeat(600)}\ud83d`).endsWith("\ud83d")).toBe(false);
  });

  it.each([
    ["half a flag at the end", "", "🇮"],
    ["behind a letter, half a flag at the end", "a", "🇮"],
    ["behind a space, half a flag at the end", " ", "🇮"],
    ["a mark on the last one", "", "\u0301"],
    ["half a flag with a mark at the end", "", "🇮\u0301"],
  ])("a long run of flags is never cut inside one: %s", (_name, before, after) => {
    const text = `${before}${"🇮🇳".repeat(300)}${after}`;
    const whole = characters(text);
    expect(parts([text]).flatMap(characters)).toEqual(whole);
    for (let cut = 0; cut < text.length; cut++) {
      const given = parts([text.slice(0, cut), text.slice(cut)]);
      if (given.flatMap(characters).join("|") !== whole.join("|")) expect.fail(`cut at ${cut}`);
    }
  });

  it("however the text is split into chunks, nothing is lost and no part begins inside a character", () => {
    const text = fc.array(
      fc.constantFrom("न", "म", "्", "े", "👨", "\u200d", "👩", "🇮", "🇳", "👍", "🏽", "a", " ", "\u0301", "\r", "\n"),
    );
    fc.assert(
      fc.property(text, fc.array(fc.nat(7)), (pieces, cuts) => {
        const all = pieces.join("");
        const chunks: string[] = [];
        let from = 0;
        for (const cut of cuts) {
          chunks.push(all.slice(from, from + cut));
          from += cut;
        }
        chunks.push(all.slice(from));
        const given = parts(chunks);
        expect(given.join("")).toBe(all);
        // ASCII is passed on immediately, so a mark that follows it is alone, as is one that the text begins with.
        if (!/(?:^|[ -~\r\n])(?:\u0301|\u200d|्|े|🏽)/u.test(all))
          expect(given.flatMap(characters)).toEqual(characters(all));
      }),
    );
  });
});
