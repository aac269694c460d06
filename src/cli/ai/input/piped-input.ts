import { createInterface } from "node:readline";
import { interruptible } from "../../shared/interrupt.ts";
import { decodeText } from "../../shared/read-input.ts";
import type { ChatInput, Entry } from "./chat-input.ts";

/** Reads a question from each line of standard input. */
export class PipedInput implements ChatInput {
  readonly isInteractive = false;
  /** Latin-1 has a character for each byte. */
  readonly #lines = createInterface({ input: process.stdin.setEncoding("latin1") })[Symbol.asyncIterator]();

  async read(): Promise<Entry> {
    const { done, value } = await this.#lines.next();
    return done ? { kind: "end" } : { kind: "text", text: decodeText(Buffer.from(value, "latin1"), "standard input") };
  }

  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return interruptible(work);
  }
}
