/**
 * Draws terminals: `npx tsx scripts/pictures/terminals.ts` writes docs/demo-{light,dark}.svg, parts of `npm run demo`, and
 * docs/emulator-{light,dark}.svg, `npx serviceapi emulator` with two requests. Port 4010 must be free.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { ServiceApi } from "serviceapi";

const root = new URL("../../", import.meta.url);
const env = { ...process.env, FORCE_COLOR: "1" };
const esc = "\u001b";
const code = new RegExp(`(${esc}\\[\\d+m)`);
const themes = {
  light: { background: "#f6f8fa", text: "#1f2328", border: "#d1d9e0", dim: "#59636e" },
  dark: { background: "#0d1117", text: "#e6edf3", border: "#3d444d", dim: "#9198a1" },
};
const colours: Readonly<Record<keyof typeof themes, Readonly<Record<number, string>>>> = {
  light: { 31: "#cf222e", 32: "#1a7f37", 33: "#9a6700", 36: "#0969da" },
  dark: { 31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 36: "#58a6ff" },
};
const width = 900;
const lineHeight = 20;

/** The parts that are shown, by their headings. */
const parts = ["UPI verification", "Fare quote", "Booking", "Payout webhook", "What can go wrong"];
/** Of all errors that the demo shows, this one. */
const error = "BookingOutcomeUnknownError";
/** The characters that fit into a line of the picture. */
const lineWidth = 102;

drawTerminal("demo", demoLines(), "A terminal with the output of npm run demo");
drawTerminal("emulator", await emulatorLines(), "A terminal with the output of npx serviceapi emulator");

function demoLines(): readonly string[] {
  const output = execFileSync(process.execPath, ["--import", "tsx", "examples/demo/main.ts"], {
    cwd: fileURLToPath(root),
    encoding: "utf8",
    env,
  });
  const isShown = (part: string) => parts.some((title) => stripVTControlCharacters(part).startsWith(title));
  const shown = output.split(new RegExp(`\n\n(?=${esc}\\[1m)`)).filter(isShown);
  if (shown.length !== parts.length) throw new Error(`The demo shows ${shown.length} of the ${parts.length} parts.`);
  const [heading = "", ...errors] = (shown.pop() ?? "").split(/\n(?= {2}\S)/);
  shown.push([heading, ...errors.filter((text) => text.includes(error))].join("\n"));
  return ["$ npm run demo", "", ...shown.join("\n\n").trimEnd().split("\n")];
}

async function emulatorLines(): Promise<readonly string[]> {
  const main = fileURLToPath(new URL("src/cli/main.ts", root));
  const child = spawn(process.execPath, ["--import", "tsx", main, "emulator"], { env });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const until = async (text: string) => {
    while (!output.includes(text)) await once(child.stdout, "data");
  };
  await until("Press Ctrl-C to stop.");
  const api = new ServiceApi({ baseUrl: "http://127.0.0.1:4010", clientId: "demo", clientSecret: "demo-secret" });
  await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
  await api.verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" }).catch(() => {});
  await until(`404${esc}[39m`);
  child.kill("SIGINT");
  await once(child, "close");
  return ["$ npx serviceapi emulator", "", ...output.trimEnd().split("\n").map(cut)];
}

/** Cuts a line that is too long, and keeps its ANSI codes. */
function cut(line: string): string {
  if (stripVTControlCharacters(line).length <= lineWidth) return line;
  let room = lineWidth - 1;
  const pieces = line.split(code).map((piece, index) => {
    if (index % 2 === 1) return piece;
    const kept = piece.slice(0, room);
    room -= kept.length;
    return kept;
  });
  return `${pieces.join("")}…`;
}

/**
 * Draws a terminal as `docs/<name>-light.svg` and `docs/<name>-dark.svg`.
 *
 * @param lines - Its lines, with ANSI codes.
 * @param label - What the picture shows, for a screen reader.
 */
function drawTerminal(name: string, lines: readonly string[], label: string): void {
  for (const theme of ["light", "dark"] as const) {
    const file = new URL(`docs/${name}-${theme}.svg`, root);
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
