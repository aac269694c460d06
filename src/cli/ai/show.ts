import type { AiStream } from "../../ai/stream/stream.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { printNote } from "../shared/print.ts";
import { createView, type ViewFlags } from "./view.ts";

/**
 * Shows a response while it is written. Text that was received before a failure stays.
 *
 * @throws The error of the stream.
 */
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

/** Shows a whole text. */
export async function showResponse(text: string, flags: ViewFlags): Promise<void> {
  const view = await createView(flags);
  view.write(text);
  view.end();
}

/** Prints the token from which a later command can continue, beside the output. */
export function printContext(token: string | undefined): void {
  if (token !== undefined) printNote(`context token: ${cleanLine(token)} (pass it to --context to continue)`);
}
