import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const themes = {
  light: { background: "#f6f8fa", text: "#1f2328", border: "#d1d9e0", dim: "#59636e" },
  dark: { background: "#0d1117", text: "#e6edf3", border: "#3d444d", dim: "#9198a1" },
};
const colours: Readonly<Record<keyof typeof themes, Readonly<Record<number, string>>>> = {
  light: { 31: "#cf222e", 32: "#1a7f37", 33: "#9a6700", 36: "#0969da" },
  dark: { 31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 36: "#58a6ff" },
};
const esc = "\u001b";
const code = new RegExp(`(${esc}\\[\\d+m)`);
const width = 900;
const lineHeight = 20;

/**
 * Draws a terminal as `docs/<name>-light.svg` and `docs/<name>-dark.svg`.
 *
 * @param lines - Its lines, with ANSI codes.
 * @param label - What the picture shows, for a screen reader.
 */
export function drawTerminal(name: string, lines: readonly string[], label: string): void {
  for (const theme of ["light", "dark"] as const) {
    const file = new URL(`../../docs/${name}-${theme}.svg`, import.meta.url);
    writeFileSync(fileURLToPath(file), picture(lines, label, theme));
  }
}

function picture(lines: readonly string[], label: string, theme: keyof typeof themes): string {
  const { background, text, border } = themes[theme];
  const height = (lines.length + 2) * lineHeight;
  const rows = lines.map((line, i) => `<text x="20" y="${(i + 1.8) * lineHeight}">${spans(line, theme)}</text>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img"`,
    ` aria-label="${label}" font-family="ui-monospace, Menlo, Consolas, monospace"`,
    ` font-size="14" fill="${text}">\n`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${background}" stroke="${border}"/>\n`,
    `${rows.join("\n")}\n</svg>\n`,
  ].join("");
}

/** A line with its ANSI codes, as spans. */
function spans(line: string, theme: keyof typeof themes): string {
  const style = { weight: "", fill: "" };
  return line
    .split(code)
    .map((piece) => {
      if (piece !== "" && !code.test(piece)) return `<tspan${style.fill}${style.weight}>${escaped(piece)}</tspan>`;
      if (piece !== "") apply(Number(piece.slice(2, -1)));
      return "";
    })
    .join("");

  function apply(number: number): void {
    if (number === 1) style.weight = ' font-weight="600"';
    else if (number === 2) style.fill = ` fill="${themes[theme].dim}"`;
    else if (number === 22) Object.assign(style, { weight: "", fill: "" });
    else style.fill = number === 39 ? "" : ` fill="${colours[theme][number] ?? themes[theme].text}"`;
  }
}

/** Text of an SVG. Viewers collapse ordinary spaces. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
}
