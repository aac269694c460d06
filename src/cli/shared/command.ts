import { styleText } from "node:util";
import type { Command } from "commander";
import { type ExitCode, exitCodes, type ReportSettings, reportError } from "./errors.ts";
import { type DescriptionList, formatLists, wrapLists } from "./layout.ts";
import type { OutputFlags } from "./options.ts";

/**
 * Returns the action of a command: `run`, whose result is the exit code. An error is printed, with what is known of
 * its effect, as JSON under `--json`, and decides the exit code.
 */
export function action<Args extends readonly unknown[]>(
  run: (...args: Args) => Promise<ExitCode | undefined> | ExitCode | undefined,
  settings: ReportSettings = {},
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    try {
      process.exitCode = (await run(...args)) ?? exitCodes.done;
    } catch (error) {
      process.exitCode = reportError(error, command.optsWithGlobals<OutputFlags>(), settings);
    }
  };
}

/**
 * Returns the end of a help text: examples that can be pasted, after what they need such as an emulator, then lists.
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
