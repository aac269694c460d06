/**
 * The chart of docs/performance.md: bars of ratios to the floor, one group for each measure, as an SVG in light or
 * dark.
 */

export interface ChartGroup {
  readonly title: string;
  readonly bars: readonly { readonly name: string; readonly ratio: number }[];
}

export type Theme = "light" | "dark";

const colors = {
  light: { text: "#1f2328", faint: "#59636e", line: "#d1d9e0", ours: "#0969da", theirs: "#afb8c1" },
  dark: { text: "#f0f6fc", faint: "#9198a1", line: "#3d444d", ours: "#4493f8", theirs: "#656c76" },
} as const satisfies Readonly<Record<Theme, object>>;

const width = 720;
const left = 190;
const right = 60;
const rowHeight = 20;
const titleHeight = 30;

/** Draws groups of bars that share one scale, and a note below them. The line at 1 is the floor. */
export function chart(groups: readonly ChartGroup[], theme: Theme, note: string): string {
  const { text, faint, line } = colors[theme];
  const largest = Math.max(1, ...groups.flatMap(({ bars }) => bars.map(({ ratio }) => ratio)));
  const scale = (width - left - right) / largest;
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

function barOf({ name, ratio }: ChartGroup["bars"][number], y: number, scale: number, theme: Theme): string {
  const { text, faint, ours, theirs } = colors[theme];
  const isOurs = name.startsWith("serviceapi");
  const length = (ratio * scale).toFixed(1);
  return [
    `<text x="${left - 8}" y="${y + 14}" text-anchor="end" fill="${isOurs ? text : faint}">${escaped(name)}</text>`,
    `<rect x="${left}" y="${y + 3}" width="${length}" height="14" rx="2" fill="${isOurs ? ours : theirs}"/>`,
    label(left + ratio * scale + 6, y + 14, ratio.toFixed(2), isOurs ? text : faint),
  ].join("\n");
}

function label(x: number, y: number, content: string, fill: string, weight = "400"): string {
  return `<text x="${x.toFixed(1)}" y="${y}" fill="${fill}" font-weight="${weight}">${content}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
