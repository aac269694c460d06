import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MarkdownStyles } from "../../../src/cli/ai/markdown.ts";
import { showText } from "../../../src/cli/ai/view.ts";

const esc = "\u001b";

beforeEach(() => void vi.stubEnv("FORCE_COLOR", "1"));
afterEach(() => void vi.unstubAllEnvs());

function style(parts: readonly string[]): string {
  const styles = new MarkdownStyles();
  return parts.map((part) => styles.push(part)).join("") + styles.end();
}

const names: Readonly<Record<string, string>> = { 1: "<b>", 22: "</b>", 36: "<c>", 39: "</c>" };

/** Returns the text with the name of each style where it begins and ends. */
function named(parts: readonly string[]): string {
  return style(parts)
    .replaceAll(new RegExp(`${esc}\\[(\\d+)m`, "g"), (_, code: string) => names[code] ?? code)
    .replaceAll(/<\/([bc])><\1>/g, "");
}

const everything = `# A day in *Pune*

Take the **early** train, not the \`05:40\`: **use \`--now\` there**.
A * star, \`a ** b\`, 2 ** 3
#tag and # not a heading

\`\`\`js
# const **a** = \`1\`;

\`\`\`
| Item | Price |
|------|------:|
1. नमस्ते 👩‍🚀 ***both*** ## no`;

describe("Markdown in a terminal", () => {
  it("has styles for headings, bold text and code, and is unchanged otherwise", () => {
    expect(named([everything])).toMatchInlineSnapshot(`
      "<b># A day in *Pune*</b>

      Take the <b>**early**</b> train, not the <c>\`05:40\`</c>: <b>**use </b><c>\`--now\`</c><b> there**</b>.
      A * star, <c>\`a ** b\`</c>, 2 <b>** 3</b>
      <b>#tag and # not a heading</b>

      <c>\`\`\`js</c>
      <c># const **a** = \`1\`;</c>

      <c>\`\`\`</c>
      | Item | Price |
      |------|------:|
      1. नमस्ते 👩‍🚀 <b>***both***</b> ## no"
    `);
  });

  it("is styled alike wherever its parts are cut", () => {
    const cuts = fc.uniqueArray(fc.nat(everything.length), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (at) => {
        const bounds = [0, ...at.sort((a, b) => a - b), everything.length];
        const parts = bounds.slice(1).map((end, index) => everything.slice(bounds[index], end));
        expect(named(parts)).toBe(named([everything]));
      }),
      { numRuns: 40 },
    );
    expect(named([...everything])).toBe(named([everything]));
  });

  it("loses and changes nothing, whatever its marks are", () => {
    const parts = fc.array(fc.string({ unit: fc.constantFrom(..."`*# \na|_~<&") }));
    fc.assert(
      fc.property(parts, (all) => {
        expect(stripVTControlCharacters(style(all))).toBe(all.join(""));
      }),
    );
  });

  it("shows each part at once, but marks at its end, whose run may go on", () => {
    const styles = new MarkdownStyles();
    expect(["Take the", " **", "early", "*", "* train"].map((part) => styles.push(part))).toEqual([
      "Take the",
      " ",
      `${esc}[1m**${esc}[22m${esc}[1mearly${esc}[22m`,
      "",
      `${esc}[1m**${esc}[22m train`,
    ]);
  });

  it("sends no sequence of the service to the terminal, also none that is written as entities", async () => {
    const osc = ["\u001b]52;c;ZXZpbA==\u0007", "\u001b[2J", "\u009b2J", "&#27;]52;c;ZXZpbA==&#7;", "&#x1b;[2J&#155;2J"];
    const places = (text: string) =>
      [`p ${text}`, `# ${text}`, `- ${text}`, `> ${text}`, `\`${text}\``, `**${text}**`, `[${text}](${text})`]
        .concat([
          `![${text}](http://a/${text})`,
          `<b ${text}>`,
          `\`\`\`${text}\n${text}\n\`\`\``,
          `|${text}|\n|-|\n|${text}|`,
        ])
        .concat([
          `<div ${text}>`,
          `<http://a/${text}>`,
          `\\${text}`,
          `    ${text}`,
          `[${text}]: x\n\n[${text}]`,
          `&amp;${text}`,
        ])
        .join("\n\n");
    const all = osc.map(places).join("\n\n");
    const own = new RegExp(`${esc}\\[\\d+m`, "g");
    for (const parts of [[all], [...all]]) {
      const written = await shownOnTerminal(parts);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
      expect(written.replaceAll(own, "")).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
      expect(written).not.toContain("\u001b[2J");
    }
  });
});

async function shownOnTerminal(parts: readonly string[]): Promise<string> {
  let written = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    written += chunk;
    return true;
  });
  const isTTY = process.stdout.isTTY;
  process.stdout.isTTY = true;
  try {
    await showText(parts);
  } finally {
    process.stdout.isTTY = isTTY;
    write.mockRestore();
  }
  return written;
}
