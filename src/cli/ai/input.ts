import { createInterface } from "node:readline";
import { styleText } from "node:util";
import { exitCodes } from "../shared/errors.ts";
import { decodeText } from "../shared/input.ts";
import { interruptible } from "../shared/process.ts";

/** The text that was entered, or the exit code: after Ctrl-D or the end of a pipe, or after Ctrl-C at an empty prompt. */
type Entry = string | typeof exitCodes.done | typeof exitCodes.interrupted;

export type ChatInput = PipedInput | TerminalInput;

/** Reads a question from each line of standard input. */
export class PipedInput {
  /** Nobody sits in front of it who can ask again after a failure. */
  readonly isInteractive = false;
  /** Latin-1 has a character for each byte. */
  readonly #lines = createInterface({ input: process.stdin.setEncoding("latin1") })[Symbol.asyncIterator]();

  async read(): Promise<Entry> {
    const { done, value } = await this.#lines.next();
    return done ? exitCodes.done : decodeText(Buffer.from(value, "latin1"), "standard input");
  }

  /** Runs something that Ctrl-C stops through its signal. */
  during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    return interruptible(work);
  }
}

const historySize = 500;
const pasteMode = { on: "\u001b[?2004h", off: "\u001b[?2004l" };

/**
 * Reads questions at a prompt, with line editing and a history in memory. A paste of several lines is one question: the
 * terminal marks its start and end (bracketed paste).
 */
export class TerminalInput {
  readonly isInteractive = true;
  #history: readonly string[] = [];

  async read(): Promise<Entry> {
    // The output itself may be a file: `serviceapi chat | tee notes.md`.
    const output = process.stdout.isTTY ? process.stdout : process.stderr;
    const prompt = styleText("bold", "> ", { stream: output });
    const history = [...this.#history];
    const lines = createInterface({ input: process.stdin, output, terminal: true, prompt, history, historySize });
    output.write(pasteMode.on);
    lines.prompt();
    const { stdin } = process;
    const pasted: string[] = [];
    let isPasting = false;
    const onKey = (_: unknown, key: { readonly name?: string }) => {
      if (key.name === "paste-start") isPasting = true;
      if (key.name === "paste-end") isPasting = false;
    };
    stdin.on("keypress", onKey);
    const entry = await new Promise<Entry>((resolve) => {
      lines.on("line", (line) => {
        pasted.push(line);
        if (!isPasting) return resolve(pasted.join("\n").trim());
        lines.setPrompt("  ");
        lines.prompt();
      });
      // Like a shell: it discards what is being entered, and ends an empty prompt.
      lines.on("SIGINT", () => resolve(lines.line === "" && pasted.length === 0 ? exitCodes.interrupted : ""));
      lines.on("close", () => resolve(exitCodes.done));
    });
    stdin.off("keypress", onKey);
    lines.close();
    output.write(pasteMode.off + (typeof entry === "string" ? "" : "\n"));
    if (typeof entry === "string" && entry !== "") {
      const line = entry.replaceAll("\n", " ");
      this.#history = [line, ...this.#history.filter((each) => each !== line)].slice(0, historySize);
    }
    return entry;
  }

  /** Keys are read, so that Ctrl-C is seen and nothing is echoed into the response. */
  async during<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { stdin } = process;
    const keys = new AbortController();
    const onKeys = (bytes: Buffer) => {
      if (bytes.includes("\u0003")) keys.abort();
    };
    stdin.setRawMode(true).on("data", onKeys).resume();
    try {
      // Another process may send one, too.
      return await interruptible((signal) => work(AbortSignal.any([keys.signal, signal])));
    } finally {
      stdin.off("data", onKeys).pause().setRawMode(false);
    }
  }
}
