import { createInterface } from "node:readline";
import { interruptible } from "../../shared/interrupt.ts";
import type { ChatInput, Entry } from "./chat-input.ts";

/** Reads a question from each line of standard input. */
export class PipedInput implements ChatInput {
  readonly isInteractive = false;
  readonly #lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

  async read(): Promise<Entry> {
    const { done, value } = await this.#lines.next();
    return done ? { kind: "end" } : { kind: "text", text: value };
  }

  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return interruptible(work);
  }
}
