/**
 * The chart of docs/performance.md: bars of ratios to the floor, one group for each measure, as an SVG in light or
 * dark.
 */

export interface ChartGroup {
  readonly title: string;
  /** `spread` is a share of the ratio. */
  readonly bars: readonly { readonly name: string; readonly ratio: number; readonly spread: number }[];
}

export type Theme = "light" | "dark";

export const colors = {
  light: { text: "#1f2328", faint: "#59636e", line: "#d1d9e0", ours: "#0969da", theirs: "#afb8c1" },
  dark: { text: "#f0f6fc", faint: "#9198a1", line: "#3d444d", ours: "#4493f8", theirs: "#656c76" },
} as const satisfies Readonly<Record<Theme, object>>;

const width = 720;
const left = 190;
const right = 100;
/** The largest ratio of the scale: with one bar of 18, nobody could compare the others. */
const longest = 4;
const rowHeight = 20;
const titleHeight = 30;

/** Draws groups of bars that share one scale, and a note below them. The line at 1 is the floor. */
export function chart(groups: readonly ChartGroup[], theme: Theme, note: string): string {
  const { text, faint, line } = colors[theme];
  const largest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const scale = (width - left - right) / Math.min(largest, longest);
  const parts: string[] = [];
  let y = 0;
  for (const { title, bars } of groups) {
    parts.push(label(0, y + 20, escaped(title), text, "600"));
    y += titleHeight;
    for (const bar of bars) {
      parts.push(barOf(bar, y, scale, theme));
      y += rowHeight;
    }
    y += 8;
  }
  const floor = left + scale;
  const height = y + 44;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Cost of serviceapi and other libraries, as ratios to the floor" font-family="system-ui, sans-serif" font-size="13">`,
    `<line x1="${floor}" y1="8" x2="${floor}" y2="${y}" stroke="${line}" stroke-width="1" stroke-dasharray="3 3"/>`,
    ...parts,
    label(floor - 4, y + 16, "1 = without a library", faint),
    label(0, y + 36, escaped(note), faint),
    "</svg>",
    "",
  ].join("\n");
}

/** A bar with its spread as a line across its end. A bar that is longer than the scale ends there. */
function barOf({ name, ratio, spread }: ChartGroup["bars"][number], y: number, scale: number, theme: Theme): string {
  const { text, faint, ours, theirs } = colors[theme];
  const isOurs = name.startsWith("serviceapi");
  const xOf = (value: number) => Math.min(width - right, left + value * scale);
  const length = (xOf(ratio) - left).toFixed(1);
  const [from, to] = [1 - spread, 1 + spread].map((share) => xOf(ratio * share).toFixed(1));
  const figure = `${ratio.toFixed(2)} ± ${(ratio * spread).toFixed(2)}`;
  return [
    `<text x="${left - 8}" y="${y + 14}" text-anchor="end" fill="${isOurs ? text : faint}">${escaped(name)}</text>`,
    `<rect x="${left}" y="${y + 3}" width="${length}" height="14" rx="2" fill="${isOurs ? ours : theirs}"/>`,
    `<line x1="${from}" y1="${y + 10}" x2="${to}" y2="${y + 10}" stroke="${text}" stroke-width="1.5"/>`,
    label(xOf(ratio * (1 + spread)) + 6, y + 14, figure, isOurs ? text : faint),
  ].join("\n");
}

export function label(x: number, y: number, content: string, fill: string, weight = "400"): string {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="${fill}" font-weight="${weight}">${content}</text>`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
