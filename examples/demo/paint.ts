import { styleText } from "node:util";

/** Aligned output, in colour if the terminal supports it (`NO_COLOR` and pipes are respected). */

type Style = Parameters<typeof styleText>[0];

export const paint = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

export function heading(title: string, operation: string): void {
  console.log(`\n${paint(["bold", "cyan"], title)}  ${paint("dim", operation)}`);
}

/** Prints names and values, with the values in one column. */
export function rows(table: Readonly<Record<string, string | number | undefined>>): void {
  const shown = Object.entries(table).filter(([, value]) => value !== undefined && value !== "");
  const width = Math.max(...shown.map(([name]) => name.length));
  for (const [name, value] of shown) console.log(`  ${paint("dim", name.padEnd(width))}  ${value}`);
}

/** Prints a sentence about a step. */
export function note(text: string): void {
  console.log(`  ${paint("yellow", text)}`);
}

export function done(text: string): void {
  console.log(`  ${paint("green", "✓")} ${text}`);
}

/** Prints an error for a person: its class, its outcome, and its message folded to the terminal. */
export function failure(error: { readonly name: string; readonly message: string; readonly outcome: string }): void {
  console.log(`  ${paint("red", error.name)} ${paint("dim", `outcome ${error.outcome}`)}`);
  for (const line of fold(error.message, 96)) console.log(`    ${line}`);
}

function fold(text: string, width: number): string[] {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1) ?? "";
    if (line.length + word.length < width) lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
