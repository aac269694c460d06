import type { AiStream } from "../../ai/stream/stream.ts";
import { option } from "../shared/command.ts";
import { cleanLine, printNote, TextCleaner } from "../shared/print.ts";
import { MarkdownStyles } from "./markdown.ts";

export const contextOption = option("--context <token>", "continue from the response with this context token");

/** Shows a response while it is written. Text that was received before a failure stays. */
export async function showStream(stream: AiStream): Promise<void> {
  const shown = await showText(stream.textStream);
  // If only its end was missing in the chunks, the text is whole by now.
  if (!stream.textMismatch || shown === stream.partialText) return;
  printNote("The completed text differs from the parts above. This is the completed text:");
  await showText([stream.partialText]);
}

/**
 * Shows parts as they arrive, without what a terminal would obey, and returns them joined as they were received. Only a
 * terminal gets styles: FORCE_COLOR has none in a pipe.
 */
export async function showText(parts: AsyncIterable<string> | readonly string[]): Promise<string> {
  const cleaner = new TextCleaner();
  const styles = process.stdout.isTTY ? new MarkdownStyles() : undefined;
  let isLineEnded = true;
  const show = (cleaned: string) => {
    if (cleaned !== "") isLineEnded = cleaned.endsWith("\n");
    process.stdout.write(styles?.push(cleaned) ?? cleaned);
  };
  let text = "";
  try {
    for await (const part of parts) {
      show(cleaner.push(part));
      text += part;
    }
  } finally {
    show(cleaner.end());
    process.stdout.write(`${styles?.end() ?? ""}${isLineEnded ? "" : "\n"}`);
  }
  return text;
}

/** Prints the token from which a later command can continue, beside the output. */
export function printContext(token: string | undefined): void {
  if (token !== undefined) printNote(`context token: ${cleanLine(token)} (pass it to --context to continue)`);
}
