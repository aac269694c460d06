import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { UserError } from "./user-error.ts";

/** Questions to a person at a keyboard, or to a script. */
export interface Terminal {
  say(text?: string): void;
  /** Returns the line that the user entered, or `preset` for an empty line. */
  ask(question: string, preset?: string): Promise<string>;
  /** Asks for yes or no; with `--yes` returns true. */
  confirm(question: string): Promise<boolean>;
  /** Asks for one of several choices, by number or by name. */
  choose(question: string, choices: readonly string[]): Promise<string>;
  [Symbol.dispose](): void;
}

/**
 * Opens a terminal that reads a line for each question. After the last line, a question without a preset ends the
 * program.
 */
export function openTerminal(input: Readable, output: Writable, yes = false): Terminal {
  const reader = createInterface({ input });
  // Unlike `question()`, an iterator loses no line if a pipe is faster than the program.
  const lines = reader[Symbol.asyncIterator]();
  const say = (text = "") => void output.write(`${text}\n`);

  async function ask(question: string, preset?: string): Promise<string> {
    output.write(`${question}${preset ? ` [${preset}]` : ""}: `);
    const { done, value = "" } = await lines.next();
    if (done) say(preset);
    if (done && preset === undefined) throw new UserError(`No answer to "${question}".`);
    return value.trim() || (preset ?? "");
  }

  return {
    say,
    ask,
    confirm: async (question) => yes || /^y(es)?$/i.test(await ask(`${question} (y/n)`, "n")),
    async choose(question, choices) {
      for (const [i, choice] of choices.entries()) say(`  ${i + 1}. ${choice}`);
      for (;;) {
        const answer = await ask(question, "1");
        const choice = choices[Number(answer) - 1] ?? choices.find((one) => one === answer);
        if (choice !== undefined) return choice;
        say("  Enter its number.");
      }
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
