import type { Command } from "commander";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import type { OutputFlags } from "./output-flags.ts";
import { type ReportSettings, reportError } from "./report-error.ts";

/**
 * Returns the action of a command: `run`, whose result is the exit code. An error is printed, with what is known of its
 * effect, as JSON under `--json`, and decides the exit code.
 *
 * @param run - Receives what commander passes: the arguments, the flags, the command.
 * @param settings - See {@link ReportSettings}.
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
