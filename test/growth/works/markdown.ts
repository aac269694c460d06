/** Markdown that a model writes, each as a repeated piece. */
import { MarkdownStyles } from "../../../src/cli/ai/markdown.ts";
import type { Work } from "../count.ts";

const pieces: Readonly<Record<string, string>> = {
  "one line": "word ",
  lines: "word\n",
  "bold text": "**a ",
  stars: "*",
  backticks: "`",
  "backticks of all lengths": Array.from({ length: 40 }, (_, length) => `${"`".repeat(length)} `).join(""),
};

export const works: Readonly<Record<string, Work>> = Object.fromEntries(
  Object.entries(pieces).map(([name, piece]) => {
    const make = (length: number) => {
      const text = piece.repeat(Math.ceil(length / piece.length));
      return () => {
        const styles = new MarkdownStyles();
        for (let at = 0; at < text.length; at += 80) styles.push(text.slice(at, at + 80));
        styles.end();
      };
    };
    return [name, { size: 20_000, make, multiples: [4] }];
  }),
);
