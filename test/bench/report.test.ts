import { transform } from "esbuild";
import { describe, expect, it } from "vitest";
import { budgetTable, verdictsOf } from "../../bench/budgets.ts";
import { type ChartGroup, chart } from "../../bench/chart.ts";
import type { Figure } from "../../bench/measure.ts";
import { aligned, rowsOf } from "../../bench/report.ts";
import { isSuiteName, type Suite, suites } from "../../bench/suites.ts";

const measuresOf = ([suite, { measures }]: [string, Suite]) => measures.map((measure) => `${suite} / ${measure}`);
const figure: Figure = {
  measure: "verify",
  contestant: "serviceapi",
  value: 7.5,
  unit: "µs",
  ratio: 1.3,
  spread: 0.1,
  redone: 0,
};

describe("the budgets", () => {
  it("cover each measure of each part, and no other", () => {
    const covered = new Set(budgetTable.map(({ suite, measure }) => `${suite} / ${measure}`));
    expect([...covered].toSorted()).toEqual(Object.entries(suites).flatMap(measuresOf).toSorted());
  });

  it("have one row for a figure, whose goal is not above what is held", () => {
    const names = budgetTable.map(({ suite, measure, contestant }) => `${suite} / ${measure} / ${contestant}`);
    expect(new Set(names).size).toBe(names.length);
    expect(budgetTable.filter(({ goal, held }) => goal > held)).toEqual([]);
  });

  describe("of a figure", () => {
    const verify = (figures: Figure[]) =>
      verdictsOf("webhook", figures).find(({ budget }) => budget.measure === "verify");
    const { goal = 0, held = 0 } = verify([])?.budget ?? {};
    const verdict = (ratio: number, spread = 0.01) => verify([{ ...figure, ratio, spread }]);

    it("tell a goal that is not met from a budget that is broken", () => {
      expect(verdict(goal * 0.9)).toMatchObject({ goal: "within", held: "within" });
      expect(verdict((goal + held) / 2)).toMatchObject({ goal: "over", held: "within" });
      expect(verdict(held * 1.1)).toMatchObject({ goal: "over", held: "over" });
    });

    it("decide nothing if the limit is within the spread of the figure", () => {
      expect(verdict(goal * 1.01, 0.02)).toMatchObject({ goal: "unclear" });
      expect(verdict(goal * 0.99, 0.02)).toMatchObject({ goal: "unclear" });
      expect(verdict(held * 1.1, 0.2)).toMatchObject({ held: "unclear" });
    });

    it("are broken if the figure is missing", () => {
      expect(verify([])).toMatchObject({ actual: undefined, goal: "over", held: "over" });
    });
  });
});

describe("the table of a part", () => {
  it("shows value, ratio, goal and what is held, in columns", () => {
    const rows = rowsOf({ suite: "webhook", figures: [{ ...figure, contestant: "HMAC + parse", ratio: 1 }, figure] });
    expect(rows.slice(1)).toEqual([
      ["verify", "HMAC + parse", "7.5 µs", "1.00 ± 0.10", "", "", ""],
      [
        "",
        "serviceapi",
        "7.5 µs",
        "1.30 ± 0.13",
        expect.stringMatching(/^[\d.]+ [✓✗?]$/),
        expect.stringMatching(/^[\d.]+$/),
        "",
      ],
    ]);
    expect(
      new Set(
        aligned(rows)
          .split("\n")
          .map((line) => line.indexOf("µs"))
          .slice(1),
      ).size,
    ).toBe(1);
  });
});

describe("the value of a row", () => {
  const valueIn = (changed: Partial<Figure>) => {
    const { ratio: _, ...plain } = figure;
    return rowsOf({ suite: "webhook", figures: [{ ...plain, ...changed }] })[1]?.[2];
  };

  it("has its spread if it was sampled and has no ratio, which has it otherwise", () => {
    expect(valueIn({})).toBe("7.5 ± 0.75 µs");
    expect(valueIn({ spread: 0 })).toBe("7.5 µs");
    expect(valueIn({ ratio: 1.3 })).toBe("7.5 µs");
  });
});

describe("the ratio of a row", () => {
  const ratioOf = (quotient: number) => rowsOf({ suite: "webhook", figures: [{ ...figure, quotient }] })[1]?.[3];

  it("has a mark if the values of the row and its floor contradict it by more than 15 %", () => {
    expect([1.3, 1.48, 1.12].map(ratioOf)).toEqual(Array(3).fill("1.30 ± 0.13"));
    expect([1.51, 1.09].map(ratioOf)).toEqual(Array(2).fill("~1.30 ± 0.13"));
  });
});

describe("the chart", () => {
  const groups: ChartGroup[] = [
    {
      title: "fetch & <parse>",
      bars: [
        { name: "fetch", ratio: 1, spread: 0.02 },
        { name: "serviceapi", ratio: 1.25, spread: 0.1 },
      ],
    },
    { title: "another", bars: [{ name: "ky + zod", ratio: 2.5, spread: 0.05 }] },
  ];

  // XML without braces is JSX, whose parser refuses unclosed and crossed tags, bare attributes and stray "<".
  it.each(["light", "dark"] as const)("is well-formed in %s", async (theme) => {
    const svg = chart(groups, theme, "a note & more");
    expect(svg).toContain("fetch &amp; &lt;parse&gt;");
    expect(svg).toContain("a note &amp; more");
    expect(svg).not.toMatch(/[{}]|NaN|undefined/);
    await expect(transform(svg, { loader: "jsx" })).resolves.toMatchObject({ warnings: [] });
    await expect(transform(svg.replace("</svg>", ""), { loader: "jsx", logLevel: "silent" })).rejects.toThrow();
  });

  it("draws all bars on one scale", () => {
    const widths = [...chart(groups, "light", "").matchAll(/<rect .*?width="([\d.]+)"/g)].map(([, width]) =>
      Number(width),
    );
    expect(widths.map((width) => width / (widths[0] ?? 0))).toEqual([
      1,
      expect.closeTo(1.25, 2),
      expect.closeTo(2.5, 2),
    ]);
  });

  it("ends a bar that is too long for the scale, whose number stays", () => {
    const [svg, other] = [8, 18].map((ratio) =>
      chart([{ title: "", bars: [{ name: "ai", ratio, spread: 0 }] }], "light", ""),
    );
    expect(svg).toContain("8.00 ± 0.00");
    expect(svg?.replaceAll("8.00", "18.00")).toBe(other);
  });
});

describe("a part", () => {
  it("is known by its name", () => {
    expect(["small", "toString"].map(isSuiteName)).toEqual([true, false]);
  });
});
