import { styleText } from "node:util";
import { withoutDeepFields } from "./mask.ts";

export interface OutputFlags {
  readonly json?: boolean;
  /** Of commands that print the events of a stream: a line of JSON for each. */
  readonly events?: boolean;
  readonly showPii?: boolean;
}

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

export const jsonText = (value: unknown) => cleanJson(stringify(value, 2));
export const jsonLine = (value: unknown) => cleanJson(stringify(value));
export const printJson = (value: unknown) => print(jsonText(value));
export const printJsonLine = (value: unknown) => print(jsonLine(value));

/** Prints what a command has found: `data` for a program that passes `--json`, and `text` for a person. */
export function printResult({ json }: OutputFlags, data: unknown, text: () => string): void {
  if (json) printJson(data);
  else print(text());
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
  process.stderr.write(`${styleText("dim", cleanText(text), { stream: process.stderr })}\n`);
}

export function printError(text: string): void {
  process.stderr.write(`${styleText("red", "error:", { stream: process.stderr })} ${cleanText(text)}\n`);
}

/**
 * Cleans text of the service before a terminal shows it, because that obeys what it is sent: an escape sequence in a
 * response could move the cursor, repaint earlier lines or write to the clipboard (OSC 52).
 *
 * @returns The text without escape sequences, control characters (C0 except tab and newline, DEL, C1) and characters that
 *   reorder the text around them (bidi embeddings, overrides and isolates). Joiners, which Indic scripts and emoji need,
 *   stay.
 */
export function cleanText(text: string): string {
  return text.replaceAll(sequence, "").replaceAll(harmful, "");
}

/** As {@link cleanText}, on one line: for a label, a name, a cell of a table. */
export function cleanLine(text: string): string {
  return cleanText(text)
    .replaceAll(/[\t\n\u2028\u2029]+/g, " ")
    .trim();
}

/** Returns JSON in which the same characters are escaped, so that a program reads what the service sent. */
export function cleanJson(json: string): string {
  return json.replaceAll(harmful, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Characters that change what a terminal does or where it writes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const harmful = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]/g;

// `stripVTControlCharacters` of Node takes seconds for 100 KB of sequences without an end. In these, nothing is read
// twice: no part of a sequence matches the start of another.
/** The start of a string for the terminal, such as `ESC ]`, and its text. */
const string = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*`;
/** The start of a command, `ESC [`, and its parameters. */
const command = String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*`;
const sequence = new RegExp(String.raw`${string}(?:\x07|\x1b\\|\x9c)|${command}[@-~]|\x1b[ -/]*[0-~]`, "g");
/** A sequence, without its last character, at the end of what arrived. */
const unfinished = new RegExp(String.raw`(?:${string}\x1b?|${command}|\x1b[ -/]*)$`);

/** Cleans text that arrives in parts: an escape sequence may be cut in two. */
export class TextCleaner {
  #held = "";

  /** Returns what can be shown of the text so far. */
  push(part: string): string {
    const text = this.#held + part;
    const start = unfinished.exec(text)?.index ?? text.length;
    // A sequence as long as this is none; without its first character it is harmless.
    this.#held = text.length - start > maxSequence ? "" : text.slice(start);
    return cleanText(this.#held === "" ? text : text.slice(0, start));
  }

  /** Returns the rest, when no part follows. */
  end(): string {
    const rest = cleanText(this.#held);
    this.#held = "";
    return rest;
  }
}

const maxSequence = 4_096;
