import { describe, expect, it } from "vitest";
import { cleanJson, cleanLine, cleanText, TextCleaner } from "../../../src/cli/shared/print.ts";

/** The attacks of a response on a terminal that obeys it, with the text that is left. */
const attacks: readonly (readonly [name: string, text: string, seen: string])[] = [
  ["a reset", "a\x1bcb\x1b(0", "ab"],
  ["a string for the device", "a\x1bP1$r\x1b\\b\x90x\x9cc", "abc"],
  ["a colour", "a\x1b[31mred\x1b[0m", "ared"],
  ["the cursor", "safe\x1b[1A\x1b[2Kevil", "safeevil"],
  ["the clipboard (OSC 52), ended by BEL", "a\x1b]52;c;ZXZpbA==\x07b", "ab"],
  ["the clipboard (OSC 52), ended by ST", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab"],
  ["the title of the window", "a\x1b]0;evil\x07b", "ab"],
  ["a link with another target (OSC 8)", "\x1b]8;;http://evil.example\x07bank\x1b]8;;\x07", "bank"],
  ["a sequence of one C1 character", "a\x9b31mb", "ab"],
  ["a carriage return", "evil\rsafe", "evilsafe"],
  ["backspaces", "evil\b\b\b\bsafe", "evilsafe"],
  ["a bell and a null", "a\x07\x00b", "ab"],
  ["DEL", "a\x7fb", "ab"],
  ["bidi overrides", "a\u202egnp.exe\u202c\u2066b\u2069", "agnp.exeb"],
];

describe("text of the service is cleaned before a terminal shows it", () => {
  it.each(attacks)("removes %s", (_name, text, seen) => {
    expect(cleanText(text)).toBe(seen);
  });

  it("keeps lines, tabs, the joiners of Indic scripts and emoji, and right-to-left text", () => {
    const text = "क्\u200dष\tनमस्ते\n👩\u200d🚀 שלום\u200f 🏴󠁧󠁢󠁳󠁣󠁴󠁿";
    expect(cleanText(text)).toBe(text);
    expect(cleanText("a\r\nb")).toBe("a\nb");
  });

  it("leaves no character that begins a sequence, whatever is taken out of the middle", () => {
    for (const text of ["\x1b\x1b[0m[31m", "\x1b]\x1b]52;c;x\x07", "\x1b[\x1b[0m31m", "\x1bP1$r\x1b\\", "\x90x\x9c"]) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
      expect(cleanText(text)).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }
  });

  it("puts a label on one line", () => {
    expect(cleanLine(" a\n\tb\u2028c\x1b[2J ")).toBe("a b c");
  });

  it("escapes them in JSON, which stays what the service sent", () => {
    const sent = { text: "\x1b]52;c;x\x07\x9b\u202e\x7f\ud800" };
    const json = cleanJson(JSON.stringify(sent));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(json).not.toMatch(/[\x00-\x1f\x7f-\x9f\u202e]/);
    expect(JSON.parse(json)).toEqual(sent);
  });
});

describe("text that arrives in parts", () => {
  it.each(attacks)("removes %s, wherever it is cut", (_name, text, seen) => {
    for (let cut = 0; cut <= text.length; cut += 1) {
      const cleaner = new TextCleaner();
      expect(cleaner.push(text.slice(0, cut)) + cleaner.push(text.slice(cut)) + cleaner.end()).toBe(seen);
    }
    const cleaner = new TextCleaner();
    expect([...text].map((character) => cleaner.push(character)).join("") + cleaner.end()).toBe(seen);
  });

  it("shows what only looked like a sequence when no part follows, and does not hold back a long one", () => {
    const cleaner = new TextCleaner();
    expect([cleaner.push("a\x1b]half"), cleaner.end()]).toEqual(["a", "half"]);
    expect(cleaner.push(`\x1b]${"x".repeat(5_000)}`)).toMatch(/^x{5000}$/);
    expect(cleaner.end()).toBe("");
  });
});
