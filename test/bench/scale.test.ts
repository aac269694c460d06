import { readFileSync } from "node:fs";
import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { chartOf } from "../../bench/scale/chart.ts";
import { type Panel, panelsOf, type Results } from "../../bench/scale/curves.ts";
import { curvesOf, memoryOver } from "../../bench/scale/sample.ts";

const saved = (name: string) => readFileSync(new URL(`../../bench/scale/${name}`, import.meta.url), "utf8");

describe("the curves", () => {
  it("have the median of each place, between its quartiles", async () => {
    const slices = (x: number) => [1, 2, 3, 4, 5].map((value) => ({ value: value * x, idle: 0, preempted: 0 }));
    const curves = await curvesOf([1, 10], async (x) => [{ name: "serviceapi", slices: slices(x) }]);
    const points = [
      { x: 1, y: 3, low: 2, high: 4 },
      { x: 10, y: 30, low: 20, high: 40 },
    ];
    expect(curves).toEqual([{ name: "serviceapi", points }]);
  });

  it("of memory have a point after each tenth of the work", async () => {
    let done = 0;
    const { points } = await memoryOver("calls", async () => {
      done += 1;
    });
    expect(done).toBe(10);
    expect(points.map(({ x }) => x)).toEqual([10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  });

  it("of memory share a panel after those of the parts", () => {
    const curve = (name: string) => ({ name, points: [{ x: 1, y: 1 }] });
    const part = (title: string) => ({
      conditions: "",
      panels: [{ title, axis: "at once", curves: [curve("serviceapi")] }],
      memory: [curve(`${title} over time`)],
    });
    const panels = panelsOf({ streams: part("streams"), calls: part("calls") });
    expect(panels.map(({ title }) => title)).toEqual(["calls", "streams", "Memory in use, MB"]);
    expect(panels[2]?.curves.map(({ name }) => name)).toEqual(["calls over time", "streams over time"]);
  });
});

describe("the chart of the curves", () => {
  const panel = (y: number, isLogarithmic = false): Panel => ({
    title: "calls & streams",
    axis: "at once",
    isLogarithmic,
    curves: [{ name: "<ours>", points: [1, 4, 16].map((x) => ({ x, y: x * y })) }],
  });
  const placesIn = (svg: string) =>
    (/<polyline points="([^"]*)"/.exec(svg)?.[1] ?? "").split(" ").map((place) => place.split(",").map(Number));

  // XML without braces is JSX, whose parser refuses unclosed and crossed tags, bare attributes and stray "<".
  it.each(["light", "dark"] as const)("is well-formed in %s, and that of the saved results", async (theme) => {
    const results = JSON.parse(saved("results.json")) as Results;
    expect(chartOf(panelsOf(results), theme)).toBe(saved(`scale-${theme}.svg`));
    for (const svg of [saved(`scale-${theme}.svg`), chartOf([panel(1)], theme)]) {
      expect(svg).not.toMatch(/[{}]|NaN|undefined|Infinity/);
      await expect(transform(svg, { loader: "jsx" })).resolves.toMatchObject({ warnings: [] });
    }
  });

  it("draws a curve through its points, on a scale from 0 that ends in a round number", () => {
    const [first = [], second = [], third = []] = placesIn(chartOf([panel(1)], "light"));
    const [left, bottom] = [56, 206];
    const ratio = (axis: 0 | 1, from: number) => ((third[axis] ?? 0) - from) / ((second[axis] ?? 0) - from);
    expect([ratio(0, left), ratio(1, bottom)]).toEqual([expect.closeTo(4, 1), expect.closeTo(4, 1)]);
    expect(first).toHaveLength(2);
    expect(chartOf([panel(1)], "light")).toMatch(/>0<.*>20</s);
  });

  it("has equal distances between multiples on a logarithmic axis", () => {
    const [first = [], second = [], third = []] = placesIn(chartOf([panel(1, true)], "light"));
    expect((second[0] ?? 0) - (first[0] ?? 0)).toBeCloseTo((third[0] ?? 0) - (second[0] ?? 0), 0);
  });
});
