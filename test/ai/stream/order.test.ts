import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReorderBuffer } from "../../../src/ai/stream/order.ts";
import type { AiEvent, ResponseOutput } from "../../../src/ai/types.ts";
import { chunk } from "../events.ts";

/** A chunk by its number, alone or with its text; `|` is the end of patience, `.` the end of the text. */
type Step = number | readonly [number, string] | "|" | ".";

/** The chunks in the order in which they become ready: a number has its own text, unless it is shown. */
function order(...steps: readonly Step[]): { given: Step[]; warnings: string[]; isHolding: boolean } {
  const warnings: string[] = [];
  const ready: AiEvent[] = [];
  const warn = (code: string, message: string) => warnings.push(`${code.replace("sequence_", "")}: ${message}`);
  const chunks = new ReorderBuffer(ready, warn);
  for (const step of steps) {
    if (step === "|") chunks.giveUp();
    else if (step === ".") chunks.flush();
    else chunks.push(typeof step === "number" ? chunk(step) : chunk(...step), 0);
  }
  const given = (ready as ResponseOutput[]).map(({ sequence_no, system: { text_chunk } }): Step => {
    return text_chunk === chunk(sequence_no).system.text_chunk ? sequence_no : [sequence_no, text_chunk];
  });
  return { given, warnings, isHolding: Number.isFinite(chunks.heldSince) };
}

const late = (n: number) => `late: ${n} came after later ones had been passed on`;
const twice = (n: number) => `duplicate: ${n} came twice with the same text; one was dropped`;
const again = (n: number) => `repeated: ${n} came again with different text; both were passed on`;

describe("sequence_no orders the chunks (§2.3; docs/assumptions.md, I2)", () => {
  it.each([-2, 0, 1, 2, 4, 1_000])("the first chunk is ready immediately, whatever its number: %i", (start) => {
    expect(order(start)).toEqual({ given: [start], warnings: [], isHolding: false });
    expect(order(start, start + 1)).toEqual({ given: [start, start + 1], warnings: [], isHolding: false });
  });

  it("so one that should have come before it is late, and is passed on as it arrives", () => {
    expect(order(2, 1, 3)).toEqual({ given: [2, 1, 3], warnings: [late(1)], isHolding: false });
    expect(order(5, 2, 2, 3, 6).given).toEqual([5, 2, 3, 6]);
  });

  it("an early chunk waits for the missing one", () => {
    expect(order(1, 3)).toEqual({ given: [1], warnings: [], isHolding: true });
    expect(order(1, 3, 2)).toEqual({ given: [1, 2, 3], warnings: [], isHolding: false });
    expect(order(1, 5, 4, 3, 2, 6)).toEqual({ given: [1, 2, 3, 4, 5, 6], warnings: [], isHolding: false });
  });

  it("a gap is a warning", () => {
    expect(order(1, 3, "|")).toEqual({ given: [1, 3], warnings: ["gap: 2 did not come in time"], isHolding: false });
    expect(order(1, 9, 5, ".").warnings).toEqual([
      "gap: 2 to 4 did not come in time",
      "gap: 6 to 8 did not come in time",
    ]);
  });

  it("no more than 8 chunks wait for one", () => {
    const early = Array.from({ length: 9 }, (_, i) => i + 3);
    expect(order(1, ...early.slice(0, 8))).toMatchObject({ given: [1], isHolding: true });
    expect(order(1, ...early)).toMatchObject({ given: [1, ...early], isHolding: false });
  });

  it("the ninth makes room: those behind a second gap go on waiting", () => {
    const first = Array.from({ length: 7 }, (_, i) => i + 3);
    expect(order(1, 2, ...first.map((n) => n + 1), 12)).toMatchObject({ given: [1, 2], isHolding: true });
    const { given, isHolding } = order(1, 2, ...first.map((n) => n + 1), 12, 13);
    expect({ given, isHolding }).toEqual({ given: [1, 2, ...first.map((n) => n + 1)], isHolding: true });
  });

  it("one lost chunk among many does not end the waiting for others", () => {
    expect(order(1, 2, 3, 5, "|", 7, 6)).toMatchObject({ given: [1, 2, 3, 5, 6, 7] });
  });

  it("a chunk that arrives after its turn is not lost", () => {
    expect(order(1, 4, "|", 2, 2, 3, 5)).toEqual({
      given: [1, 4, 2, 3, 5],
      warnings: ["gap: 2 to 3 did not come in time", late(2), twice(2), late(3)],
      isHolding: false,
    });
  });

  it("a duplicate is dropped, of a chunk passed on and of one held back", () => {
    expect(order(1, 1, 2)).toEqual({ given: [1, 2], warnings: [twice(1)], isHolding: false });
    expect(order(1, 3, 3, 2)).toEqual({ given: [1, 2, 3], warnings: [twice(3)], isHolding: false });
    expect(order(1, 2, 3, 2).warnings).toEqual([twice(2)]);
  });

  it("a number is forgotten once 32 others have come", () => {
    const numbers = Array.from({ length: 33 }, (_, i) => i);
    expect(order(...numbers.slice(0, 32), 0).warnings).toEqual([twice(0)]);
    expect(order(...numbers, 0).warnings).toEqual([late(0)]);
  });

  it("a number that comes again with different text is not a duplicate", () => {
    expect(order(1, [1, "other"], 2)).toEqual({ given: [1, [1, "other"], 2], warnings: [again(1)], isHolding: false });
    expect(order(1, 3, [3, "other"], 2)).toMatchObject({ given: [1, 2, 3, [3, "other"]], warnings: [again(3)] });
  });

  it.each([0, 1, 7])("a number that is always the same loses nothing: %i", (n) => {
    const words = ["It ", "is ", "what ", "it ", "is ", "is ", "is", "It "];
    expect(order(...words.map((word) => [n, word] as const)).given).toEqual(words.map((word) => [n, word]));
  });

  it.each([
    ["that go down", [9, 8, 7, 6]],
    ["too large to be counted", [2 ** 53, 2 ** 53, 2 ** 53 + 2]],
    ["of a counter that restarts", [3, 1, 2, 1, 2]],
  ])("nor do numbers %s", (_case, numbers) => {
    const steps = numbers.map((n, i) => [n, `word ${i} `] as const);
    expect(order(...steps, ".").given).toEqual(steps);
  });

  it("chunks without a number keep the order of arrival", () => {
    expect(order(1, Number.NaN, 3, 2).given).toEqual([1, Number.NaN, 2, 3]);
    expect(order(Number.NaN, Number.NaN, 3, 4).given).toEqual([Number.NaN, Number.NaN, 3, 4]);
    // An unchecked service may send these.
    const texts = ["5", "4"] as unknown as number[];
    expect(order(...texts).given).toEqual(texts);
  });

  const anyStep = fc.oneof(
    { arbitrary: fc.integer({ min: -50, max: 50 }), weight: 6 },
    { arbitrary: fc.tuple(fc.integer({ min: -3, max: 3 }), fc.constantFrom("a", "b")), weight: 2 },
    { arbitrary: fc.constantFrom<Step>("|", "."), weight: 1 },
  );

  it("for any numbers: nothing is lost, and what is not late or a repetition is in order", () => {
    const isChunk = (step: Step) => step !== "|" && step !== ".";
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const { given, warnings, isHolding } = order(...steps, ".");
        expect(isHolding).toBe(false);
        const sent = steps.filter(isChunk).map((step) => JSON.stringify(step));
        expect(new Set(given.map((step) => JSON.stringify(step)))).toEqual(new Set(sent));
        const dropped = warnings.filter((text) => text.startsWith("duplicate")).length;
        expect(given).toHaveLength(sent.length - dropped);
        const others = warnings.filter((text) => /^(?:late|repeated)/.test(text)).length;
        let highest = Number.NEGATIVE_INFINITY;
        let behind = 0;
        for (const step of given) {
          const number = Number(Array.isArray(step) ? step[0] : step);
          if (number <= highest) behind++;
          highest = Math.max(highest, number);
        }
        expect(behind).toBe(others);
      }),
      { numRuns: 500 },
    );
  });

  it("after enough timeouts, nothing is held back", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -50, max: 50 })), (numbers) => {
        const patience = Array.from(numbers, () => "|" as const);
        expect(order(...numbers, ...patience)).toMatchObject({ isHolding: false });
      }),
    );
  });
});
