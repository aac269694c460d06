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
import wrapAnsi from "wrap-ansi";

const root = new URL("../../", import.meta.url);
const env = { ...process.env, FORCE_COLOR: "1" };
const esc = "\u001b";
const code = new RegExp(`${esc}\\[(\\d+)m`, "g");
/** The colours of a theme, and those of its ANSI codes. */
const themes: Readonly<Record<"light" | "dark", Readonly<Record<"background" | "text" | "border" | number, string>>>> =
  {
    light: {
      ...{ background: "#f6f8fa", text: "#1f2328", border: "#d1d9e0" },
      ...{ 2: "#59636e", 31: "#cf222e", 32: "#1a7f37", 33: "#9a6700", 36: "#0969da" },
    },
    dark: {
      ...{ background: "#0d1117", text: "#e6edf3", border: "#3d444d" },
      ...{ 2: "#9198a1", 31: "#ff7b72", 32: "#3fb950", 33: "#d29922", 36: "#58a6ff" },
    },
  };
/** The codes that end a style. The command nests its styles. */
const ends = ["22", "39"];
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
  return `${wrapAnsi(line, lineWidth - 1, { hard: true, trim: false, wordWrap: false }).split("\n")[0]}…`;
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
  return escaped(line).replaceAll(code, (_, number: string) => {
    if (ends.includes(number)) return "</tspan>";
    const fill = themes[theme][Number(number)] ?? themes[theme].text;
    return `<tspan ${number === "1" ? 'font-weight="600"' : `fill="${fill}"`}>`;
  });
}

/** Text of an SVG. Viewers collapse ordinary spaces. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(" ", "\u00a0");
}
