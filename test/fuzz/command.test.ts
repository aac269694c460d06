import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { checkCallbackUrl } from "../../src/callback-url/index.ts";
import { cleanJson, cleanLine, cleanText, TextCleaner } from "../../src/cli/shared/print.ts";
import { openInput } from "../../src/cli/verify/csv.ts";
import { anyJson, anyText, anything, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must be gone.
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;
const sequences = fc.constantFrom(
  "\u001b[31m",
  "\u001b]52;c;",
  "\u001b",
  "\u009b",
  "\u0007",
  "\u001b\\",
  "\u001bP",
  "\u202e",
  "\r",
  "[",
  ";",
);
const hostile = fc.array(fc.oneof(sequences, anyText), { maxLength: 12 }).map((parts) => parts.join(""));

describe("text for a terminal", () => {
  property("has no control character, and is not changed again", hostile, (text) => {
    const clean = cleanText(text);
    expect(clean).not.toMatch(control);
    expect(cleanText(clean)).toBe(clean);
    expect(cleanLine(text)).not.toMatch(/[\n\t\u2028\u2029]/);
  });

  property(
    "is as clean if it arrives in parts",
    fc.tuple(hostile, fc.array(fc.nat(20), { maxLength: 10 })),
    ([text, lengths]) => {
      const cleaner = new TextCleaner();
      let at = 0;
      let shown = "";
      for (const length of lengths) {
        shown += cleaner.push(text.slice(at, at + length));
        at += length;
      }
      shown += cleaner.push(text.slice(at)) + cleaner.end();
      expect(shown).not.toMatch(control);
      expect(shown).toBe(cleanText(text));
    },
  );

  property("is the same JSON after its control characters are escaped", anyJson, (value) => {
    const clean = cleanJson(JSON.stringify(value));
    expect(clean).not.toMatch(control);
    expect(JSON.stringify(JSON.parse(clean))).toBe(JSON.stringify(value));
  });
});

describe("a CSV file", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "serviceapi-fuzz-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const cell = fc.oneof(anyText, fc.constantFrom("mobile", '"', '""', ",", ";", "\n", "\r\n", "6000000001", "\uFEFF"));
  const content = fc.oneof(
    fc.array(cell, { maxLength: 20 }).map((cells) => `mobile,name\n${cells.join("")}`),
    fc.uint8Array(),
  );
  property("is read to its last row, or refused", content, async (bytes) => {
    const file = join(folder, "numbers.csv");
    await writeFile(file, bytes);
    await refusesTyped(() => {
      const { header, rows } = openInput(file);
      for (const row of rows) expect(row).toHaveLength(header.length);
    });
  });
});

describe("a callback URL", () => {
  const written = fc.oneof(
    anyText,
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc
      .tuple(
        fc.constantFrom("https://", "https:/", "HTTPS:\\\\", "https://a@"),
        fc.oneof(anyText, fc.domain(), fc.ipV4Extended(), fc.ipV6()),
      )
      .map((parts) => parts.join("")),
  );
  property(
    "is accepted only if it is https, of the brand, and reads everywhere alike",
    fc.tuple(written, anything, fc.oneof(anything, fc.domain())),
    async ([url, other, brandDomain]) => {
      const { ok, problems } = checkCallbackUrl(url, { brandDomain: "example.in" });
      expect(ok).toBe(problems.length === 0);
      if (ok) {
        const { protocol, hostname, username, port } = new URL(url);
        expect([protocol, username, port]).toEqual(["https:", "", ""]);
        expect(hostname).toMatch(/^(?:.+\.)?example\.in\.?$/);
      }
      await refusesTyped(() => checkCallbackUrl(other as never, { brandDomain: brandDomain as never }));
    },
  );
});
