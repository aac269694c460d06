import { styleText } from "node:util";
import { cleanJson, cleanText } from "./clean-text.ts";
import { withoutDeepFields } from "./mask.ts";

/** Start of the command in lines that are printed to be pasted: it need not be in the PATH. */
export const commandName = "npx serviceapi";

/** Quotes a word that a POSIX shell would take apart or interpret. */
export function quote(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printToReader(text: string): Promise<boolean> {
  return new Promise((resolve) => process.stdout.write(`${text}\n`, (error) => resolve(!error)));
}

export function jsonText(value: unknown): string {
  return cleanJson(stringify(value, 2));
}

export function printJson(value: unknown): void {
  print(jsonText(value));
}

export function jsonLine(value: unknown): string {
  return cleanJson(stringify(value));
}

export function printJsonLine(value: unknown): void {
  print(jsonLine(value));
}

/** A response may nest deeper than the stack. */
function stringify(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return JSON.stringify(withoutDeepFields(value), null, indent);
  }
}

/** Prints a note for people beside the output, which a pipe does not receive. It may quote names of files. */
export function printNote(text: string): void {
  process.stderr.write(`${formatNote(text)}\n`);
}

export function formatNote(text: string): string {
  return styleText("dim", cleanText(text), { stream: process.stderr });
}

export function printError(text: string): void {
  process.stderr.write(`${styleText("red", "error:", { stream: process.stderr })} ${cleanText(text)}\n`);
}
