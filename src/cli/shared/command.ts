import { styleText } from "node:util";
import type { Command, Option } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { type ExitCode, exitCodes, reportError } from "./errors.ts";
import { type DescriptionList, formatLists } from "./layout.ts";
import type { FlagsOf } from "./options.ts";

interface Declaration<Options extends readonly Option[]> {
  readonly description: string;
  /** The arguments with their descriptions, such as `{ "[number]": … }`. */
  readonly args?: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly examples?: string;
  /** Set-up that the examples need first, such as an emulator. */
  readonly after?: string;
  readonly lists?: readonly DescriptionList[];
  /** Flags that do nothing beside the others, and beside which ones: passing one is refused. */
  readonly unused?: (flags: FlagsOf<Options>) => readonly Unused[];
  /** Under `--json`, the results are documents of one line each, and so is an error. */
  readonly jsonLines?: boolean;
  /** The result is the exit code, zero by default; an error of the library is printed, and decides it. */
  readonly run: (flags: FlagsOf<Options>, args: readonly string[]) => Promise<ExitCode | undefined>;
}

/** `["without --file", "column"]`, or false if it does not apply. */
export type Unused = false | readonly [where: string, ...names: string[]];

/** Declares a command. The result adds it to a program or a group. */
export function declareCommand<const Options extends readonly Option[]>(
  name: string,
  { description, args = {}, options, examples, after, lists = [], unused, jsonLines, run }: Declaration<Options>,
): (parent: Command) => Command {
  return (parent) => {
    const command = parent.command(name).description(description);
    for (const [argument, text] of Object.entries(args)) command.argument(argument, text);
    for (const option of options) command.addOption(option);
    // Styles and width depend on the output, which is known when the help is printed.
    if (examples !== undefined) command.addHelpText("after", () => formatHelp(examples, after, lists));
    return command.action(async (...given: unknown[]) => {
      // A group keeps the flags that its commands have as well.
      const flags = command.optsWithGlobals();
      try {
        for (const each of unused?.(flags as FlagsOf<Options>) ?? []) if (each) refuseUnused(command, each);
        process.exitCode =
          (await run(flags as FlagsOf<Options>, given.slice(0, -2).flat() as string[])) ?? exitCodes.done;
      } catch (error) {
        process.exitCode = reportError(error, flags, jsonLines);
      }
    });
  };
}

function refuseUnused(command: Command, [where, ...names]: readonly [string, ...string[]]): void {
  const unused = command.options.find((each) => {
    const name = each.attributeName();
    return names.includes(name) && command.getOptionValueSource(name) === "cli";
  });
  if (unused !== undefined) throw new ConfigurationError(`${unused.long} has no effect ${where}.`);
}

function formatHelp(examples: string, after: string | undefined, lists: readonly DescriptionList[]): string {
  const title = styleText("bold", "Examples") + (after === undefined ? "" : `, after ${after}`);
  const parts = [`${title}\n${examples.replace(/^\n|\n$/g, "")}`, formatLists(lists)];
  return `\n${parts.filter(Boolean).join("\n\n")}`;
}

export const emulatorExports = "npx serviceapi emulator and its export line";
