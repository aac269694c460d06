import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { formatTable, wrapText } from "../../../src/cli/shared/layout.ts";

describe("formatTable", () => {
  it.each([
    ["Devanagari", "आशा राव", "क्षितिज शर्मा"],
    ["Tamil", "தமிழ்ச்செல்வி", "கௌரி"],
    ["Bengali", "শ্রীময়ী", "ক্ষমা"],
    ["wide characters", "山田太郎", "한국어"],
    ["emoji", "👩‍🚀", "🇮🇳"],
    ["accents of their own", "Ame\u0301lie", "Zoe\u0308"],
  ])("keeps columns aligned beside %s", (_, ...names) => {
    const rows = formatTable(
      ["Name", { right: "Mobile" }],
      [...names, "ASHA RAO"].map((name) => [name, "60••••••01"]),
    ).split("\n");
    expect(new Set(rows.slice(1).map((row) => stringWidth(row.slice(0, row.indexOf("60")))))).toHaveProperty("size", 1);
    expect(new Set(rows.map((row) => stringWidth(row)))).toHaveProperty("size", 1);
  });

  it("narrows the widest columns until all fit, also several", () => {
    const columns = ["no.", "one", "two"];
    const prose = "words that take far more room than there is";
    const lines = formatTable(columns, [["1", prose, prose]], 40).split("\n");
    expect(lines.filter((line) => stringWidth(line) > 40)).toEqual([]);
    expect(lines[1]).toBe("  1    words that take  words that take");
  });

  it("puts a note across all columns, wrapped under its own start", () => {
    const [head, ...note] = formatTable(["a", "b"], ["  layover of many hours at a place"], 20).split("\n");
    expect(head).toBe("  a  b");
    expect(note.every((line) => /^ {4}\S/.test(line))).toBe(true);
  });
});

describe("wrapText", () => {
  it("begins no line with the space at which it was wrapped", () => {
    expect(wrapText("have the ticket issued before the deadline", { width: 16 })).toBe(
      "have the ticket\nissued before\nthe deadline",
    );
  });

  it("keeps the indentation of a line, and puts the text of a list item under its start", () => {
    expect(wrapText("  • one two three\n    four five six", { width: 12, indent: " " })).toBe(
      "   • one two\n     three\n     four\n     five six",
    );
  });
});
