/** Markdown that a model writes, each as a repeated piece. */
import { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import { LiveMarkdown } from "../../../src/cli/ai/markdown.ts";
import type { Work } from "../count.ts";

const pieces: Readonly<Record<string, string>> = {
  "one paragraph": "word ",
  emphasis: "*a_",
  "emphasis in short paragraphs": `${"*a_".repeat(60)}\n\n`,
  links: "[a](",
  images: "![a](",
  brackets: "[",
  quotations: ">",
  "quotations in lists in quotations": "> - ",
  "quotations with lazy lines": `${"> ".repeat(15)}a\nb\n`,
  "nested lists": Array.from({ length: 20 }, (_, depth) => `${"  ".repeat(depth)}- a\n`).join(""),
  "lists in one line": "1. ",
  "a table": "| a | b |\n|---|---|\n",
  backticks: "`",
  "backticks of all lengths": Array.from({ length: 40 }, (_, length) => `${"`".repeat(length)} `).join(""),
};

/** Shows Markdown that comes in parts, and draws now and then: the timers of a view are not awaited. */
function showMarkdown(text: string): void {
  const { setTimeout: real } = globalThis;
  let draw = () => {};
  globalThis.setTimeout = ((callback: () => void) => (draw = callback)) as never;
  try {
    const terminal = new Writable({ write: (_chunk, _encoding, done) => done() });
    const view = new LiveMarkdown(Object.assign(terminal, { columns: 60, rows: 200 }) as unknown as WriteStream);
    for (let at = 0; at < text.length; at += 80) {
      view.write(text.slice(at, at + 80));
      if (at % 8_000 === 0) draw();
    }
    view.end();
  } finally {
    globalThis.setTimeout = real;
  }
}

/** From this size on, a block is printed in parts. */
const size = 20_000;

export const works: Readonly<Record<string, Work>> = Object.fromEntries(
  Object.entries(pieces).map(([name, piece]) => {
    const make = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      return () => showMarkdown(text);
    };
    return [name, { size, make, multiples: [4] }];
  }),
);
