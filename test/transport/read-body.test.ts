import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/shared/json.ts";
import { CallScope } from "../../src/transport/cancellation.ts";
import { readJson } from "../../src/transport/read-response.ts";
import { codePoint } from "../support/code-point.ts";
import { streamOf } from "../support/stream-of.ts";

/** A response whose body arrives in pieces that end where `cuts` say, in the middle of characters included. */
function inPieces(text: string, cuts: readonly number[]): Response {
  const bytes = new TextEncoder().encode(text);
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return new Response(streamOf(ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))));
}

const unlimited = () => new CallScope(undefined, Number.POSITIVE_INFINITY);

describe("a response is the same, whatever the chunking", () => {
  it("for any JSON", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ stringUnit: codePoint }),
        fc.array(fc.nat(), { maxLength: 12 }),
        async (text, cuts) => {
          const read = await readJson(inPieces(text, cuts), 1e6, unlimited());
          expect(read).toMatchObject({ ok: true, text: text.toWellFormed(), value: parseJson(text.toWellFormed()) });
        },
      ),
    );
  });

  it("and so is the limit", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), fc.boolean(), async (cuts, fits) => {
        const text = JSON.stringify("x".repeat(98));
        const read = await readJson(inPieces(text, cuts), fits ? 100 : 99, unlimited());
        expect(read).toMatchObject(fits ? { ok: true } : { ok: false, reason: "tooLarge" });
      }),
    );
  });

  it("100,000 chunks are read in time linear in their number", async () => {
    const text = JSON.stringify("x".repeat(99_998));
    const cuts = Array.from({ length: 99_999 }, (_, i) => i + 1);
    expect(await readJson(inPieces(text, cuts), 1e6, unlimited())).toMatchObject({ ok: true, bytes: 100_000 });
  });
});
