import { EventEmitter } from "node:events";
import type { WriteStream } from "node:tty";
import fc from "fast-check";
import { Lexer } from "marked";
import stringWidth from "string-width";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveMarkdown, renderBlocks } from "../../../src/cli/ai/markdown.ts";

const render = (markdown: string, width = 60) => renderBlocks(new Lexer().lex(markdown), width).join("\n");

const everything = `# A day in *Pune*

Take the **early** train, ~~not~~ the \`05:40\`.
It is [on time](https://trains.example/1), see https://trains.example/2 and <a@b.example>.

## Plan

1. Breakfast
   - poha
   - [x] chai
   - [ ] idli &amp; vada
2. Walk

   along the river
10. Home

> A quotation
> that goes on
>
> - with a list

| Item | Price |
|:-----|------:|
| Poha | 40 |
| A thali that is long enough to be wrapped into several lines | 250 |

\`\`\`js
const a = 1;

  if (a) b();
\`\`\`

![map](https://maps.example/a.png) &#27; <b>html</b><br>line \\* two  
three

---
नमस्ते 👩‍🚀`;

describe("Markdown in a terminal", () => {
  it("renders every block, wrapped by columns", () => {
    expect(render(everything)).toMatchInlineSnapshot(`
      "# A day in Pune

      Take the early train, not the 05:40. It is on time
      (https://trains.example/1), see https://trains.example/2 and
      a@b.example.

      ## Plan

      1. Breakfast

         • poha
         • [x] chai
         • [ ] idli & vada

      2. Walk

         along the river

      3. Home

      │ A quotation that goes on
      │ 
      │ • with a list

        Item                                                 Price
        Poha                                                    40
        A thali that is long enough to be wrapped into         250
        several lines

        const a = 1;
        
          if (a) b();

      [map] (https://maps.example/a.png)  <b>html</b>
      line * two
      three

      ────────────────────────────────────────

      नमस्ते 👩‍🚀"
    `);
  });

  it("renders inline styles, which do not count as columns", () => {
    vi.stubEnv("FORCE_COLOR", "1");
    const rendered = render(everything);
    vi.unstubAllEnvs();
    expect(rendered).toContain("\u001b[1mearly\u001b[22m");
    expect(rendered).toContain("\u001b[36m05:40\u001b[39m");
    const visible = (text: string) => text.split("\n").map((line) => stringWidth(line));
    expect(visible(rendered)).toEqual(visible(render(everything)));
  });

  it.each([14, 20, 33, 60, 200])("keeps within %i columns", (width) => {
    expect(
      Math.max(
        ...render(everything, width)
          .split("\n")
          .map((line) => stringWidth(line)),
      ),
    ).toBeLessThanOrEqual(width);
  });

  it("aligns the columns of a table in Hindi, with emoji", () => {
    const lines = render("| दिन | योजना |\n|---|--:|\n| सोमवार | किताबें पढ़ना 👩‍🚀 |\n| मंगलवार | - |\n").split("\n");
    expect(lines).toHaveLength(3);
    expect(new Set(lines.map((line) => stringWidth(line))).size).toBe(1);
  });

  it("shows a table with more columns than fit as its source", () => {
    const table = `|${" column |".repeat(12)}\n|${"-|".repeat(12)}\n`;
    expect(render(table, 30)).toMatch(/^\| column \|/);
  });
});

const esc = "\u001b";
const pieces = new RegExp(`${esc}\\[\\d+A|${esc}\\[J|${esc}\\[[\\d;]*m|[^${esc}]`, "gs");

/** A terminal that knows what the view uses: lines, `CR`, cursor up, and erase to the end. */
class Screen extends EventEmitter {
  columns = 60;
  rows = 200;
  written = "";
  #lines: string[] = [""];
  #row = 0;

  write(text: string): boolean {
    this.written += text;
    for (const [part] of text.matchAll(pieces)) {
      if (part === "\u001b[J") this.#lines = [...this.#lines.slice(0, this.#row), ""];
      else if (part.endsWith("A") && part.length > 1) this.#row -= Number.parseInt(part.slice(2), 10);
      else if (part === "\n") {
        this.#row += 1;
        this.#lines[this.#row] ??= "";
      } else if (part !== "\r" && part.length === 1) this.#lines[this.#row] += part;
    }
    return true;
  }

  get text(): string {
    return this.#lines.join("\n");
  }
}

const show = (parts: readonly string[], screen = new Screen()) => {
  const view = new LiveMarkdown(screen as unknown as WriteStream);
  for (const part of parts) {
    view.write(part);
    vi.runAllTimers();
  }
  view.end();
  return screen;
};

describe("Markdown that is being written", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("ends as it would look in one piece, character by character", () => {
    const bare = `${render(everything)}\n`;
    expect(show([...everything]).text).toBe(bare);
    expect(show([everything]).text).toBe(bare);
  });

  it("ends so wherever the parts are cut", () => {
    const cuts = fc.uniqueArray(fc.nat(everything.length), { maxLength: 30 });
    fc.assert(
      fc.property(cuts, (at) => {
        const bounds = [0, ...at.sort((a, b) => a - b), everything.length];
        const parts = bounds.slice(1).map((end, index) => everything.slice(bounds[index], end));
        expect(show(parts).text).toBe(`${render(everything)}\n`);
      }),
      { numRuns: 40 },
    );
  });

  it("shows the last block while it grows, and prints it once it is complete", () => {
    const screen = new Screen();
    const view = new LiveMarkdown(screen as unknown as WriteStream);
    const write = (part: string) => {
      view.write(part);
      vi.runAllTimers();
      return screen.text;
    };
    expect(write("Take the **ear")).toBe("Take the **ear");
    expect(write("ly** train")).toBe("Take the early train");
    expect(write("\n\n1. one\n2")).toBe("Take the early train\n\n1. one 2");
    expect(write(". two\n")).toBe("Take the early train\n\n1. one\n2. two");
    screen.written = "";
    expect(write("3. three")).toContain("\n3. three");
    expect(screen.written).not.toContain("train");
  });

  it("shows the end of a block that is longer than the screen, and all of it in the end", () => {
    const screen = new Screen();
    screen.rows = 5;
    const list = Array.from({ length: 20 }, (_, index) => `- item ${index}`).join("\n");
    const view = new LiveMarkdown(screen as unknown as WriteStream);
    view.write(list);
    vi.runAllTimers();
    expect(screen.text).toBe("• item 16\n• item 17\n• item 18\n• item 19");
    view.end();
    expect(screen.text).toBe(`${list.replaceAll("-", "•")}\n`);
  });

  it("sends no sequence of the service to the terminal, also none that is written as entities", () => {
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
    const { written } = show([...osc.map(places).join("\n\n")]);
    const own = new RegExp(`${esc}\\[(?:\\d+A|J|[\\d;]+m)`, "g");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
    expect(written.replaceAll(own, "")).not.toMatch(/[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/);
    expect(written).not.toContain("\u001b[2J");
  });

  it("removes what it drew from a terminal that was made narrower since", () => {
    const screen = new Screen();
    const view = new LiveMarkdown(screen as unknown as WriteStream);
    view.write("word ".repeat(20));
    vi.runAllTimers();
    // Its two lines of up to 60 columns now take three rows and two.
    expect(screen.text.split("\n").map(({ length }) => length)).toEqual([59, 39]);
    screen.columns = 25;
    screen.written = "";
    view.end();
    expect(screen.written.startsWith(`\r${esc}[4A${esc}[J`)).toBe(true);
  });

  it.each([
    ["quotations", "> ".repeat(5_000)],
    ["quotations without spaces", ">".repeat(20_000)],
    ["lists", "- ".repeat(2_000)],
    ["numbered lists", "1. ".repeat(1_000)],
    ["lists in quotations", "> - ".repeat(1_000)],
    ["links", "[a](".repeat(3_000)],
    ["emphasis", "**a ".repeat(3_000)],
  ])("shows the text of %s that nest deeper than the stack", (_, marks) => {
    expect(show([`Before\n\n${marks}end\n\nAfter`]).text).toMatch(/^Before\s[\s\S]*end\s+After\n$/);
  });

  it("lays out what only looks deep: a rule of many stars, and quotations in code", () => {
    const { text } = show([`The **end**\n\n${"* ".repeat(20)}\n\n\`\`\`\n${">".repeat(20)}\n\`\`\`\n`]);
    expect(text).toMatch(/^The end\n\n─+\n\n {2}>{20}\n$/);
  });

  it.each([49, 60, 130])("prints text once that is %i quotations deep, wherever the parts are cut", (depth) => {
    const deep = `Before\n\n${"> ".repeat(depth)}end\n\n`;
    const text = `${deep}Middle\n\nAfter`;
    const cut = "Before\n\n".length + depth;
    for (const parts of [[deep, "Middle\n\nAfter"], [text.slice(0, cut), text.slice(cut)], [...text]]) {
      expect(show(parts).text.match(/\w+/g)).toEqual(["Before", "end", "Middle", "After"]);
    }
  });

  it.each([
    ["a list", (line: number) => `- row${line}\n`],
    ["a nested list", (line: number) => `${line % 10 === 0 ? "" : "  "}- row${line}\n`],
    ["a paragraph", (line: number) => `row${line} `],
    ["a table", (line: number) => (line === 0 ? "| a |\n|---|\n" : `| row${line} |\n`)],
    ["code", (line: number) => (line === 0 ? "```js\n" : `  row${line}\n`)],
  ])("prints each line of %s of 60 KB once, and what follows it as Markdown", (name, lineOf) => {
    const block = Array.from({ length: 6_000 }, (_, line) => lineOf(line)).join("");
    const text = `${block}${name === "code" ? "```" : ""}\n\nThe **end**`;
    const cuts = Array.from({ length: Math.ceil(text.length / 5_000) }, (_, index) => index * 5_000);
    for (const parts of [[text], cuts.map((start) => text.slice(start, start + 5_000))]) {
      const screen = new Screen();
      screen.rows = 20_000;
      const shown = show(parts, screen).text;
      expect(shown.match(/row\d+/g)).toEqual(block.match(/row\d+/g));
      expect(shown).toMatch(/\n\nThe end\n$/);
      expect(shown.includes("```")).toBe(false);
      if (name === "a table") expect(shown.split("\n").filter((line) => line.includes("row"))).toHaveLength(5_999);
    }
  });
});
