import type { AiStream } from "../../ai/stream/stream.ts";
import { option } from "../shared/command.ts";
import { cleanLine, printNote, TextCleaner } from "../shared/print.ts";

export const contextOption = option("--context <token>", "continue from the response with this context token");
export const plainOption = option(
  "--plain",
  "print the text as it is written, not as rendered Markdown; the default in a pipe",
);

interface ViewFlags {
  readonly plain?: boolean;
}

/** Returns a view for standard output: rendered Markdown on a terminal, and otherwise the text as the service wrote it. */
async function createView({ plain = false }: ViewFlags) {
  if (plain || !process.stdout.isTTY || process.env.TERM === "dumb") return new PlainText();
  const { LiveMarkdown } = await import("./markdown.ts");
  return new LiveMarkdown(process.stdout);
}

/** The text without what a terminal would obey. */
class PlainText {
  readonly #cleaner = new TextCleaner();
  #last = "\n";

  write(part: string): void {
    this.#print(this.#cleaner.push(part));
  }

  /** Shows what is held back, and ends the last line. */
  end(): void {
    this.#print(this.#cleaner.end());
    if (!this.#last.endsWith("\n")) this.#print("\n");
  }

  #print(text: string): void {
    if (text === "") return;
    this.#last = text;
    process.stdout.write(text);
  }
}

/** Shows a response while it is written. Text that was received before a failure stays. */
export async function showStream(stream: AiStream, flags: ViewFlags): Promise<void> {
  const view = await createView(flags);
  const shown: string[] = [];
  try {
    for await (const part of stream.textStream) {
      view.write(part);
      shown.push(part);
    }
  } finally {
    view.end();
  }
  // If only its end was missing in the chunks, the text is whole by now.
  if (!stream.textMismatch || shown.join("") === stream.partialText) return;
  printNote("The completed text differs from the parts above. This is the completed text:");
  await showResponse(stream.partialText, flags);
}

export async function showResponse(text: string, flags: ViewFlags): Promise<void> {
  const view = await createView(flags);
  view.write(text);
  view.end();
}

/** Prints the token from which a later command can continue, beside the output. */
export function printContext(token: string | undefined): void {
  if (token !== undefined) printNote(`context token: ${cleanLine(token)} (pass it to --context to continue)`);
}
