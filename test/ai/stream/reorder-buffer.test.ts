import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ReorderBuffer } from "../../../src/ai/stream/reorder-buffer.ts";
import type { ResponseOutput } from "../../../src/ai/types.ts";
import type { Issue } from "../../../src/errors/index.ts";
import { chunk } from "../events.ts";

/**
 * `|` is the end of patience for the chunk that waits longest, `.` the end of the text, `event` an event of another
 * kind.
 */
type Step = number | "|" | "." | "event";

/** The numbers in the order in which they become ready. */
function order(...steps: Step[]): { given: number[]; warnings: string[]; isHolding: boolean } {
  const warnings: string[] = [];
  const add = ({ code, message }: Issue) => warnings.push(`${code.replace("sequence_", "")}: ${message}`);
  const chunks = new ReorderBuffer({ add }, { now: 0 });
  const given = steps.flatMap((step) => readyAfter(chunks, step).map((event) => event.sequence_no));
  return { given, warnings, isHolding: chunks.heldSince !== undefined };
}

function readyAfter(chunks: ReorderBuffer, step: Step): readonly ResponseOutput[] {
  if (step === "|") return chunks.giveUpOldest();
  if (step === ".") return chunks.flush();
  return step === "event" ? chunks.acceptStart() : chunks.push(chunk(step));
}

const ascending = (numbers: Iterable<number>) => [...numbers].sort((a, b) => a - b);

describe("sequence_no orders the chunks, from an unknown start (§2.3; docs/assumptions.md, I2)", () => {
  it("a first chunk of 1 waits for one of 0 that it may have overtaken", () => {
    expect(order(1)).toEqual({ given: [], warnings: [], isHolding: true });
    expect(order(1, 0, 2)).toEqual({ given: [0, 1, 2], warnings: [], isHolding: false });
  });

  it("it does not wait beyond its timeout, nor after another chunk or event has arrived", () => {
    expect(order(1, "|", 2)).toEqual({ given: [1, 2], warnings: [], isHolding: false });
    expect(order(1, 3).given).toEqual([1]);
    expect(order(1, 1).given).toEqual([1]);
    expect(order(1, Number.NaN).given).toEqual([1, Number.NaN]);
    expect(order(1, "event").given).toEqual([1]);
  });

  it.each([0, 1, -2])("text that starts at %i is ready immediately", (start) => {
    expect(order(start, start + 1)).toEqual({ given: [start, start + 1], warnings: [], isHolding: false });
  });

  it.each([2, 4, 1_000])("text that starts at %i is ready when it cannot have started earlier", (start) => {
    const numbers = [start, start + 1, start + 2];
    expect(order(...numbers)).toEqual({ given: [], warnings: [], isHolding: true });
    expect(order(...numbers, "|")).toEqual({ given: numbers, warnings: [], isHolding: false });
    expect(order(...numbers, "|", start + 3).given).toEqual([...numbers, start + 3]);
    expect(order(...numbers, ".")).toEqual({ given: numbers, warnings: [], isHolding: false });
  });

  it("puts first chunks in order", () => {
    for (const numbers of [
      [2, 1, 3],
      [3, 2, 1],
      [2, 3, 1],
      [3, 1, 2],
      [2, 0, 1, 3],
    ]) {
      expect(order(...numbers)).toEqual({ given: ascending(numbers), warnings: [], isHolding: false });
    }
    expect(order(5, 4, 6, "|", 7)).toEqual({ given: [4, 5, 6, 7], warnings: [], isHolding: false });
  });

  it("gives up one of several missing chunks without the others", () => {
    // 4 has waited for 3 as long as it may; 7 arrived later, and 5 and 6 may still arrive.
    const steps: Step[] = [1, 2, 4, 7, "|"];
    expect(order(...steps)).toEqual({ given: [1, 2, 4], warnings: ["gap: 3 did not come"], isHolding: true });
    expect(order(...steps, 6, 5)).toMatchObject({ given: [1, 2, 4, 5, 6, 7], isHolding: false });
    // 7 arrived first: everything that precedes it is released with it.
    expect(order(1, 2, 7, 4, "|")).toMatchObject({ given: [1, 2, 4, 7], isHolding: false });
  });

  it("an early chunk waits for the missing one", () => {
    expect(order(1, 3)).toEqual({ given: [1], warnings: [], isHolding: true });
    expect(order(1, 3, 2)).toEqual({ given: [1, 2, 3], warnings: [], isHolding: false });
    expect(order(1, 5, 4, 3, 2, 6)).toEqual({ given: [1, 2, 3, 4, 5, 6], warnings: [], isHolding: false });
  });

  it("a duplicate is dropped, of a chunk passed on and of one held back", () => {
    const twice = (n: number) => [`duplicate: ${n} came twice; one was dropped`];
    expect(order(1, 1, 2)).toMatchObject({ given: [1, 2], warnings: twice(1) });
    expect(order(1, 3, 3, 2)).toMatchObject({ given: [1, 2, 3], warnings: twice(3) });
  });

  it("a gap is a warning", () => {
    expect(order(1, 3, "|")).toEqual({ given: [1, 3], warnings: ["gap: 2 did not come"], isHolding: false });
    expect(order(1, 9, 5, ".").warnings).toEqual(["gap: 2 to 4 did not come", "gap: 6 to 8 did not come"]);
  });

  it("no more than 32 chunks wait, and the rest goes on waiting", () => {
    const first = Array.from({ length: 32 }, (_, i) => i + 4);
    expect(order(...first, 37, 36)).toEqual({ given: [...first, 36, 37], warnings: [], isHolding: false });
  });

  it("no more than 32 chunks wait for one", () => {
    const early = Array.from({ length: 33 }, (_, i) => i + 3);
    expect(order(1, ...early.slice(0, 32)).given).toEqual([1]);
    expect(order(1, ...early)).toMatchObject({ given: [1, ...early], isHolding: false });
  });

  it("numbers that are not contiguous hold nothing back after the first gaps", () => {
    expect(order(4, 7, "|", "|", 10, 13)).toMatchObject({ given: [4, 7, 10, 13], isHolding: false });
  });

  it("one lost chunk among many does not end the waiting for others", () => {
    expect(order(1, 2, 3, 5, "|", 7, 6)).toMatchObject({ given: [1, 2, 3, 5, 6, 7] });
  });

  it("a chunk that arrives after its turn is not lost", () => {
    expect(order(1, 4, "|", 2, 2, 3)).toEqual({
      given: [1, 4, 2, 3],
      warnings: [
        "gap: 2 to 3 did not come",
        "late: 2 came after later ones had been passed on",
        "duplicate: 2 came twice; one was dropped",
        "late: 3 came after later ones had been passed on",
      ],
      isHolding: false,
    });
  });

  it("with more gaps than are remembered, no chunk is reported as a duplicate by mistake", () => {
    const tens = Array.from({ length: 40 }, (_, i) => (i + 1) * 10);
    const { given, warnings } = order(...tens, ".", 15, 395);
    expect(given).toEqual([...tens, 395]);
    expect(warnings.slice(39)).toEqual([
      "late: 15 came too late to tell whether it had come before; it was dropped",
      "late: 395 came after later ones had been passed on",
    ]);
    expect(order(...tens, ".", 400).warnings.at(-1)).toBe("duplicate: 400 came twice; one was dropped");
  });

  it("nor is one from before the first", () => {
    expect(order(5, "|", 2, 2, 3).given).toEqual([5, 2, 3]);
  });

  it("chunks without a number keep the order of arrival", () => {
    expect(order(1, Number.NaN, 2).given).toEqual([1, Number.NaN, 2]);
  });

  const anyStep = fc.oneof(
    { arbitrary: fc.integer({ min: -50, max: 50 }), weight: 8 },
    { arbitrary: fc.constantFrom<Step>("|", "."), weight: 1 },
  );

  it("for any numbers: no chunk is lost or doubled, and those that are not late are in order", () => {
    fc.assert(
      fc.property(fc.array(anyStep), (steps) => {
        const { given, warnings, isHolding } = order(...steps, ".");
        const late = warnings.flatMap((text) => (text.startsWith("late") ? [Number(/-?\d+/.exec(text)?.[0])] : []));
        expect(isHolding).toBe(false);
        expect(new Set(given).size).toBe(given.length);
        // More gaps than are remembered: an old late chunk then passes for a duplicate.
        if (warnings.filter((text) => text.startsWith("gap")).length < 16) {
          expect(new Set(given)).toEqual(new Set(steps.filter((step) => typeof step === "number")));
        }
        const punctual = given.filter((n) => !late.includes(n));
        expect(punctual).toEqual(ascending(punctual));
      }),
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

  it("chunks within the window come out in order, once, wherever they start and whichever is missing", () => {
    const text = fc.record({
      start: fc.constantFrom(0, 1, 2, 4, 1_000),
      length: fc.integer({ min: 1, max: 120 }),
      // A chunk is at most this number of places early or late: no more than 32 ever wait.
      reach: fc.integer({ min: 0, max: 15 }),
      places: fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      repeated: fc.array(fc.nat(119), { maxLength: 10 }),
      missing: fc.option(fc.integer({ min: 1, max: 119 })),
    });
    fc.assert(
      fc.property(text, ({ start, length, reach, places, repeated, missing }) => {
        const numbers = Array.from({ length }, (_, i) => start + i).filter((n) => n !== start + (missing ?? length));
        const shuffled = numbers
          .map((number, i) => ({ number, place: i + (places.next().value ?? 0) * reach }))
          .sort((a, b) => a.place - b.place)
          .map(({ number }) => number);
        for (const at of repeated) {
          const number = shuffled[at % shuffled.length];
          if (number !== undefined) shuffled.splice((at % shuffled.length) + 1, 0, number);
        }
        // A chunk between 1 and 0 makes 1 the start, even a second 1.
        if (start === 0 && shuffled.indexOf(1) >= 0 && shuffled.indexOf(1) + 1 < shuffled.indexOf(0)) return;
        expect(order(...shuffled, ".")).toMatchObject({ given: numbers, isHolding: false });
      }),
      { numRuns: 500 },
    );
  });
});
