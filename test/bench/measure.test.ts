import { describe, expect, it } from "vitest";
import { figuresOf, isDisturbed, rotate, type Slice } from "../../bench/measure.ts";
import { exponent, median, quantile } from "../../bench/statistics.ts";

const slice = (value: number, idle = 1, preempted = 0): Slice => ({ value, idle, preempted });

describe("the median and the quantiles", () => {
  it("are the values in the middle, and between two of them the mean", () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(quantile([0, 10, 20, 30, 40], 0.25)).toBe(10);
    expect(median([])).toBeNaN();
  });
});

describe("a slice is disturbed", () => {
  const earlier = [slice(5, 20, 4), slice(5, 22, 6), slice(5, 24, 5)];

  it("if it waited much longer than usual, or lost its core much more often", () => {
    expect(isDisturbed(slice(5, 60, 5), earlier)).toBe(true);
    expect(isDisturbed(slice(5, 22, 80), earlier)).toBe(true);
  });

  it("not because it was slow, and not before three others say what is usual", () => {
    expect(isDisturbed(slice(50, 30, 10), earlier)).toBe(false);
    expect(isDisturbed(slice(5, 900, 900), earlier.slice(1))).toBe(false);
  });
});

describe("a rotation", () => {
  const contestants = [{ name: "floor" }, { name: "ours" }, { name: "theirs" }];

  it("starts each round with another contestant, and does not count the warm-up", async () => {
    const turns: string[] = [];
    const take = async ({ name }: { name: string }) => slice(turns.push(name));
    const all = await rotate(contestants, take, { warmUp: 1, rounds: 2 });
    expect(turns.join(" ")).toBe("floor ours theirs ours theirs floor theirs floor ours");
    expect(all.map(({ slices }) => slices.map(({ value }) => value))).toEqual([
      [6, 8],
      [4, 9],
      [5, 7],
    ]);
  });

  it("measures the floor beside each contestant, before it and after it in turn", async () => {
    const turns: string[] = [];
    const take = async ({ name }: { name: string }) => slice(turns.push(name));
    const [, ours] = await rotate(contestants.slice(0, 2), take, { warmUp: 0, rounds: 2, floor: "floor" });
    expect(turns.join(" ")).toBe("floor floor floor ours ours floor floor floor");
    expect(ours).toMatchObject({ slices: [{ value: 4 }, { value: 5 }], floors: [{ value: 3 }, { value: 6 }] });
  });

  const calm = [slice(0, 5), slice(1, 5), slice(2, 5)];
  const kept = async (...fourth: Slice[]) => {
    const slices = [...calm, ...fourth];
    const take = async () => slices.shift() ?? slice(-1);
    const [floor] = await rotate([{ name: "floor" }], take, { warmUp: 0, rounds: 4 });
    return { value: floor?.slices[3]?.value, redone: floor?.redone };
  };

  it("takes a disturbed slice again and keeps the first calm one", async () => {
    expect(await kept(slice(3, 4, 500), slice(4, 5, 0))).toEqual({ value: 4, redone: 1 });
    expect(await kept(slice(3, 500, 0), slice(4, 4, 500), slice(5, 6, 1))).toEqual({ value: 5, redone: 2 });
  });

  it("keeps the disturbed slice that lost its core least often, then the one that waited least", async () => {
    expect(await kept(slice(3, 4, 500), slice(4, 90, 30), slice(5, 5, 400))).toEqual({ value: 4, redone: 2 });
    expect(await kept(slice(3, 500), slice(4, 300), slice(5, 400))).toEqual({ value: 4, redone: 2 });
  });

  it("ends after six rounds if its time is over", async () => {
    const [floor] = await rotate([{ name: "floor" }], async () => slice(1), { warmUp: 0, seconds: 0 });
    expect(floor?.slices).toHaveLength(6);
  });
});

describe("a figure", () => {
  const slices = [12, 120, 13, 13].map((value) => slice(value));
  const floors = [10, 100, 10, 10].map((value) => slice(value));

  it("is the median of the ratios to the floor beside, which a slow phase of the machine leaves alone", () => {
    const [ours] = figuresOf({ measure: "a call", unit: "µs" }, [{ name: "ours", slices, floors, redone: 1 }]);
    expect(ours).toMatchObject({ contestant: "ours", value: 13, redone: 1 });
    expect(ours?.ratio).toBeCloseTo((132 / 110 + 26 / 20) / 2);
  });

  it("counts each round in one ratio, so that one disturbed round spoils one of them", () => {
    const mine = [12, 12, 12, 60, 12, 12, 12].map((value) => slice(value));
    const beside = mine.map(() => slice(10));
    const [ours] = figuresOf({ measure: "a call", unit: "µs" }, [
      { name: "ours", slices: mine, floors: beside, redone: 0 },
    ]);
    expect(ours?.ratio).toBeCloseTo(1.2);
    // Ratios 1.2, 3.6 and 1.2: the quartiles are 1.2 and 2.4.
    expect(ours?.spread).toBeCloseTo(0.6 / 1.2);
  });

  it("has the quotient of its value and that of the floor's own row beside the ratio", () => {
    const all = [
      { name: "floor", slices: floors, floors, redone: 0 },
      { name: "ours", slices, floors, redone: 0 },
    ];
    const [, ours] = figuresOf({ measure: "a call", unit: "µs", floor: "floor" }, all);
    expect(ours?.quotient).toBeCloseTo(1.3);
  });

  it("is 1 if only the place beside the other makes a difference, because two rounds share a ratio", () => {
    const first = [3, 2, 3, 2].map((value) => slice(value));
    const second = [2, 3, 2, 3].map((value) => slice(value));
    const [figure] = figuresOf({ measure: "a call", unit: "µs" }, [
      { name: "floor", slices: second, floors: first, redone: 0 },
    ]);
    expect(figure).toMatchObject({ ratio: 1, spread: 0 });
  });

  it("has no ratio without a floor", () => {
    const [only] = figuresOf({ measure: "rows", unit: "µs" }, [{ name: "10", slices, floors: [], redone: 0 }]);
    expect(only).not.toHaveProperty("ratio");
  });
});

describe("the exponent", () => {
  it.each([
    { cost: 100, of: "linear", is: 1 },
    { cost: 1_000, of: "cubic", is: 1.5 },
    { cost: 1, of: "constant", is: 0 },
  ])("of $cost for 100 times the size is $is", ({ cost, is }) => {
    expect(exponent({ size: 10, cost: 1 }, { size: 1_000, cost })).toBeCloseTo(is);
  });
});
