/** The panels of `npm run scale` as an SVG, two in a row. A band is the distance between the quartiles. */
import { colors, escaped, label, type Theme } from "../chart.ts";
import type { Panel, Point } from "./curves.ts";

const panel = { width: 352, height: 246, gap: 16 } as const;
const plot = { left: 56, right: 326, top: 64, bottom: 206 } as const;
const hues = {
  light: ["#0969da", "#59636e", "#bc4c00", "#1a7f37", "#8250df", "#bf3989"],
  dark: ["#4493f8", "#9198a1", "#f0883e", "#3fb950", "#ab7df8", "#db61a2"],
} as const satisfies Readonly<Record<Theme, readonly string[]>>;

export function chartOf(panels: readonly Panel[], theme: Theme): string {
  const [width, height] = [2 * panel.width + panel.gap, Math.ceil(panels.length / 2) * panel.height];
  const placed = panels.map((one, i) => {
    const [x, y] = [(i % 2) * (panel.width + panel.gap), Math.floor(i / 2) * panel.height];
    return `<g transform="translate(${x} ${y})">\n${panelOf(one, theme)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(panels.map(({ title }) => title).join("; "))}" font-family="system-ui, sans-serif" font-size="12">`,
    ...placed,
    "</svg>",
    "",
  ].join("\n");
}

function panelOf({ title, axis, isLogarithmic = false, curves }: Panel, theme: Theme): string {
  const { text, faint, line } = colors[theme];
  const points = curves.flatMap((curve) => curve.points);
  const place = (x: number) => (isLogarithmic ? Math.log(x) : x);
  const places = points.map(({ x }) => place(x));
  const from = isLogarithmic ? Math.min(...places) : 0;
  const ticks = ticksTo(Math.max(...points.map(({ y, high = y }) => high)));
  const top = ticks.at(-1) ?? 1;
  const xOf = (x: number) => plot.left + ((place(x) - from) / (Math.max(...places) - from)) * (plot.right - plot.left);
  const yOf = (y: number) => plot.bottom - (y / top) * (plot.bottom - plot.top);
  const at = (x: number, y: number) => `${xOf(x).toFixed(1)},${yOf(y).toFixed(1)}`;
  const curveOf = (all: readonly Point[], color: string) => [
    `<polygon points="${[...all.map(({ x, y, high = y }) => at(x, high)), ...all.toReversed().map(({ x, y, low = y }) => at(x, low))].join(" ")}" fill="${color}" fill-opacity="0.18"/>`,
    `<polyline points="${all.map(({ x, y }) => at(x, y)).join(" ")}" fill="none" stroke="${color}" stroke-width="1.8"/>`,
  ];
  const number = (x: number, y: number, anchor: string, value: number) =>
    `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="${faint}">${value.toLocaleString("en")}</text>`;
  const colored = curves.map((curve, i) => ({ ...curve, color: hues[theme][i % hues[theme].length] ?? text }));
  return [
    label(0, 16, escaped(title), text, "600"),
    ...[0, 1].map(
      (row) =>
        `<text y="${34 + 16 * row}">${colored
          .slice(3 * row, 3 * row + 3)
          .map(nameIn)
          .join("")}</text>`,
    ),
    ...ticks.flatMap((y) => [
      `<line x1="${plot.left}" y1="${yOf(y).toFixed(1)}" x2="${plot.right}" y2="${yOf(y).toFixed(1)}" stroke="${line}"/>`,
      number(plot.left - 6, yOf(y) + 4, "end", y),
    ]),
    ...marksOf(points, xOf).map((x) => number(xOf(x), plot.bottom + 16, "middle", x)),
    `<text x="${plot.right}" y="${plot.bottom + 32}" text-anchor="end" fill="${faint}">${escaped(axis)}</text>`,
    ...colored.flatMap((curve) => curveOf(curve.points, curve.color)),
  ].join("\n");
}

const nameIn = ({ name, color }: { readonly name: string; readonly color: string }) =>
  `<tspan fill="${color}">${escaped(name)}</tspan><tspan>\u2002</tspan>`;

/** Four to eight round numbers from 0, the last of them not below the largest value. */
function ticksTo(largest: number): number[] {
  const power = 10 ** Math.floor(Math.log10(largest || 1));
  const step = [0.2, 0.5, 1, 2].map((share) => share * power).find((one) => largest / one <= 6) ?? power;
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** The places that are named on the horizontal axis, from the right: those with room for their number. */
function marksOf(points: readonly Point[], xOf: (x: number) => number): number[] {
  const marks: number[] = [];
  const hasRoom = (x: number) => xOf(marks.at(-1) ?? Number.POSITIVE_INFINITY) - xOf(x) >= 44;
  for (const { x } of points.toSorted((a, b) => b.x - a.x)) if (hasRoom(x)) marks.push(x);
  return marks;
}
