import type { AiStream } from "../../ai/stream/stream.ts";
import { type FlagsOf, option } from "../shared/command.ts";
import { cleanLine, printNote, TextCleaner } from "../shared/print.ts";

export const contextOption = option("--context <token>", "continue from the response with this context token");
export const plainOption = option(
  "--plain",
  "print the text as it is written, not as rendered Markdown; the default in a pipe",
);

type ViewFlags = FlagsOf<readonly [typeof plainOption]>;

/** Returns a view for standard output: rendered Markdown on a terminal, and otherwise the text as the service wrote it. */
async function createView({ plain = false }: ViewFlags) {
  if (plain || !process.stdout.isTTY || process.env.TERM === "dumb") return new PlainText();
  const { LiveMarkdown } = await import("./markdown.ts");
  return new LiveMarkdown(process.stdout);
}

class PlainText {
  #isLineEnded = true;

  write(text: string): void {
    if (text === "") return;
    this.#isLineEnded = text.endsWith("\n");
    process.stdout.write(text);
  }

  end(): void {
    if (!this.#isLineEnded) this.write("\n");
  }
}

/** Shows a response while it is written. Text that was received before a failure stays. */
export async function showStream(stream: AiStream, flags: ViewFlags): Promise<void> {
  const shown = await showText(stream.textStream, flags);
  // If only its end was missing in the chunks, the text is whole by now.
  if (!stream.textMismatch || shown === stream.partialText) return;
  printNote("The completed text differs from the parts above. This is the completed text:");
  await showText([stream.partialText], flags);
}

/** Shows parts as they arrive, without what a terminal would obey, and returns them joined as they were received. */
export async function showText(parts: AsyncIterable<string> | readonly string[], flags: ViewFlags): Promise<string> {
  const view = await createView(flags);
  const cleaner = new TextCleaner();
  let text = "";
  try {
    for await (const part of parts) {
      view.write(cleaner.push(part));
      text += part;
    }
  } finally {
    view.write(cleaner.end());
    view.end();
  }
  return text;
}

/** Prints the token from which a later command can continue, beside the output. */
export function printContext(token: string | undefined): void {
  if (token !== undefined) printNote(`context token: ${cleanLine(token)} (pass it to --context to continue)`);
}
