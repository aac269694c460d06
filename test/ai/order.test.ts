import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ChunkOrder } from "../../src/ai/order.ts";
import type { ResponseOutput } from "../../src/ai/types.ts";

const output = (sequence_no: number): ResponseOutput => ({
  event: "response_output",
  status: "PROCESSING",
  status_code: "206",
  sequence_no,
  system: { msg_id: "m", text_chunk: `${sequence_no} ` },
});

/** The numbers in the order in which they are given on; `|` stands for the end of patience. */
function order(...numbers: (number | "|")[]): { given: number[]; warnings: string[]; holding: boolean } {
  const given: number[] = [];
  const warnings: string[] = [];
  const chunks = new ChunkOrder({
    deliver: (event) => given.push(event.sequence_no),
    warn: (issue) => warnings.push(`${issue.code.replace("sequence_", "")}: ${issue.message}`),
  });
  for (const number of numbers) {
    if (number === "|") chunks.flush();
    else chunks.push(output(number));
  }
  return { given, warnings, holding: chunks.holding };
}

describe("sequence_no orders; where it starts is not known (§2.3, policy 19)", () => {
  it.each([0, 1, 4, -2])("a stream may start at %i", (start) => {
    expect(order(start, start + 1, start + 2)).toMatchObject({ given: [start, start + 1, start + 2], warnings: [] });
  });

  it("an early chunk waits for the missing one", () => {
    expect(order(1, 3)).toEqual({ given: [1], warnings: [], holding: true });
    expect(order(1, 3, 2)).toEqual({ given: [1, 2, 3], warnings: [], holding: false });
    expect(order(1, 5, 4, 3, 2, 6)).toEqual({ given: [1, 2, 3, 4, 5, 6], warnings: [], holding: false });
  });

  it("a duplicate is dropped, of a chunk given on and of one held back", () => {
    const twice = (n: number) => [`duplicate: ${n} came twice; one was dropped`];
    expect(order(1, 1, 2)).toMatchObject({ given: [1, 2], warnings: twice(1) });
    expect(order(1, 3, 3, 2)).toMatchObject({ given: [1, 2, 3], warnings: twice(3) });
  });

  it("a gap is a warning", () => {
    expect(order(1, 3, "|")).toEqual({ given: [1, 3], warnings: ["gap: 2 did not come"], holding: false });
    expect(order(1, 9, 5, "|").warnings).toEqual(["gap: 2 to 4 did not come", "gap: 6 to 8 did not come"]);
  });

  it("no more than 32 chunks wait", () => {
    const early = Array.from({ length: 33 }, (_, i) => i + 3);
    expect(order(1, ...early.slice(0, 32)).given).toEqual([1]);
    expect(order(1, ...early)).toMatchObject({ given: [1, ...early], holding: false });
  });

  it("numbers that are not contiguous hold nobody after the first gaps", () => {
    expect(order(4, 7, "|", 10, 13)).toMatchObject({ given: [4, 7, 10, 13], holding: false });
  });

  it("one lost chunk among many does not end the patience", () => {
    expect(order(1, 2, 3, 5, "|", 7, 6)).toMatchObject({ given: [1, 2, 3, 5, 6, 7] });
  });

  it("a chunk that comes after its turn was given up is not lost", () => {
    expect(order(1, 4, "|", 2, 2, 3)).toEqual({
      given: [1, 4, 2, 3],
      warnings: [
        "gap: 2 to 3 did not come",
        "late: 2 came after later ones had been passed on",
        "duplicate: 2 came twice; one was dropped",
        "late: 3 came after later ones had been passed on",
      ],
      holding: false,
    });
  });

  it("of more gaps than are remembered, none is said to have come twice", () => {
    const tens = Array.from({ length: 40 }, (_, i) => (i + 1) * 10);
    const { given, warnings } = order(...tens, "|", 15, 395);
    expect(given).toEqual([...tens, 395]);
    expect(warnings.slice(39)).toEqual([
      "late: 15 came too late to tell whether it had come before; it was dropped",
      "late: 395 came after later ones had been passed on",
    ]);
    expect(order(...tens, "|", 400).warnings.at(-1)).toBe("duplicate: 400 came twice; one was dropped");
  });

  it("nor is one from before the first", () => {
    expect(order(5, 2, 2, 3).given).toEqual([5, 2, 3]);
  });

  it("without a number, the order is that of arrival", () => {
    expect(order(1, Number.NaN, 2).given).toEqual([1, Number.NaN, 2]);
  });

  it("whatever is sent: nothing is lost, nothing is doubled, and what is not late is in order", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant("|" as const))), (numbers) => {
        const { given, warnings } = order(...numbers, "|");
        const late = warnings.flatMap((text) => (text.startsWith("late") ? [Number(/-?\d+/.exec(text)?.[0])] : []));
        expect(new Set(given).size).toBe(given.length);
        // More gaps than are remembered: an old late chunk then passes for a duplicate.
        if (warnings.filter((text) => text.startsWith("gap")).length < 16) {
          expect(new Set(given)).toEqual(new Set(numbers.filter((n) => n !== "|")));
        }
        const punctual = given.filter((n) => !late.includes(n));
        expect(punctual).toEqual([...punctual].sort((a, b) => a - b));
      }),
    );
  });
});
