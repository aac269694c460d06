import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { exitCodes } from "./exit-codes.ts";
import { printError, printJsonLine, printNote } from "./print.ts";
import { commandName } from "./shell.ts";

/**
 * Has a command and those below it print commander's own errors as all others are: as JSON under `--json`, and
 * otherwise with the name of the command whose help to read.
 */
export function explainUsageErrors(command: Command, path: readonly string[] = []): void {
  command
    .configureOutput({ outputError: (text) => printUsageError(withoutValues(text.trim()), path) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage));
  for (const each of command.commands) explainUsageErrors(each, [...path, each.name()]);
}

function printUsageError(message: string, path: readonly string[]): void {
  if (isJsonAsked()) {
    printJsonLine({ error: new ConfigurationError(message) });
    return;
  }
  printError(message);
  printNote(`See ${[commandName, ...path, "--help"].join(" ")}.`);
}

/** The arguments may not have been read as far as the flag. */
function isJsonAsked(): boolean {
  return process.argv.some((word) => word === "--json" || word === "--events");
}

/**
 * Returns an error of usage without the values that were passed: one of them may be a secret in the wrong place, and
 * logs keep what a command prints. The names of options stay.
 *
 * @param message - The message of commander, which quotes the values.
 */
function withoutValues(message: string): string {
  return quoting.reduce(
    (text, [pattern, replacement]) => text.replace(pattern, replacement),
    message.replace(/^error: /, ""),
  );
}

/** The forms of commander that quote a value. Its advice, after the value, has none. */
const quoting: readonly (readonly [RegExp, string])[] = [
  [/^(unknown option '(?:--[^='\n]*(?=[='\n])|-[^-']))[\s\S]*'/, "$1'"],
  [/^(option '[^']*') argument '.*' is invalid\./s, "$1 is invalid."],
  [/^command-argument value '.*' is invalid for argument '(.*)'\./s, "argument '$1' is invalid."],
  [/^(too many arguments.*Expected [1-9].* but got \d+): .*$/s, "$1. Put quotes around an argument that has spaces."],
  [/^(too many arguments.* but got \d+): .*$/s, "$1."],
  // The next name by its letters would be `book`.
  [/^unknown command 'look-?up'.*$/s, "unknown command\n(Did you mean verify?)"],
  [/^(unknown command) '.*'/s, "$1"],
];
