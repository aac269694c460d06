import { styleText } from "node:util";
import { type DescriptionList, formatLists, wrapLists } from "./description-list.ts";

/**
 * Returns the end of a help text: examples that can be pasted, then lists.
 *
 * @param examples - Lines such as `  $ npx serviceapi ask "Hello"`.
 * @param after - What the examples need, such as an emulator.
 */
export function helpText(examples: string, lists: readonly DescriptionList[] = [], after?: string): () => string {
  // Styles and width depend on the output, which is known when the help is printed.
  return () => {
    const title = styleText("bold", "Examples") + (after === undefined ? "" : `, after ${after}`);
    const parts = [
      `${title}\n${examples.replace(/^\n|\n$/g, "")}`,
      ...(lists.length > 0 ? [formatLists(wrapLists(lists))] : []),
    ];
    return `\n${parts.join("\n\n")}`;
  };
}

/** Set-up for the examples of flights: a service, and a flight of a search. */
export const emulatorExports = "npx serviceapi emulator and its export line";
