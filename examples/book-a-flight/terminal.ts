import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { UserError } from "./user-error.ts";

/** Questions and answers, at a keyboard or from a script. */
export interface Terminal {
  say(text?: string): void;
  /** The answer, or `preset` for an empty line. */
  ask(question: string, preset?: string): Promise<string>;
  /** Yes or no; `--yes` answers yes. */
  confirm(question: string): Promise<boolean>;
  /** One of several, by number or by its own name. */
  choose(question: string, choices: readonly string[]): Promise<string>;
  [Symbol.dispose](): void;
}

/** Answers come line by line; where they end, a question that has no preset ends the program. */
export function openTerminal(input: Readable, output: Writable, yes = false): Terminal {
  const reader = createInterface({ input });
  // Unlike `question()`, an iterator loses no line of a pipe that is faster than the program.
  const lines = reader[Symbol.asyncIterator]();
  const say = (text = "") => void output.write(`${text}\n`);

  async function ask(question: string, preset?: string): Promise<string> {
    output.write(`${question}${preset ? ` [${preset}]` : ""}: `);
    const { done, value = "" } = await lines.next();
    if (done) say(preset);
    if (done && preset === undefined) throw new UserError(`There is no answer to "${question}".`);
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
        say("  Give its number.");
      }
    },
    [Symbol.dispose]: () => reader.close(),
  };
}
