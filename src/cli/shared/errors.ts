import type { Command } from "commander";
import { createResponse, streamResponse } from "../../ai/operations.ts";
import { type AnyServiceApiError, isServiceApiError } from "../../errors/any.ts";
import { type ByKind, type ErrorKind, ofKind } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { book, fareQuote, fareRule } from "../../flights/operations.ts";
import { findVpas } from "../../verification/operations.ts";
import { maskMessage, maskOwnMessage } from "./mask.ts";
import { cleanLine, commandName, type OutputFlags, printError, printJsonLine, printNote } from "./print.ts";
import { terminalMessage } from "./terminal-message.ts";

/** The exit codes of all commands, as their help explains them. docs/cli.md lists them. */
const exits = {
  done: [0, "done"],
  failed: [1, "a check did not pass, or another error"],
  usage: [2, "an option, the environment or the input is wrong; nothing was sent"],
  refused: [3, "refused; nothing was done"],
  notFound: [4, "the service has nothing for this request"],
  unknown: [5, "outcome unknown: look it up before you retry"],
  unavailable: [6, "not reached or busy; retry later"],
  preview: [7, "a preview: nothing was booked, because --yes is missing"],
  interrupted: [130, "interrupted (Ctrl-C)"],
} as const;
type Exits = typeof exits;

export const exitCodes = Object.fromEntries(Object.entries(exits).map(([name, [code]]) => [name, code])) as {
  readonly [Name in keyof Exits]: Exits[Name][0];
};

export const exitCodeHelp = {
  "Exit codes": Object.values(exits).map(([code, meaning]) => [`${code}`, meaning] as const),
};

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const unread = "The response of the service could not be read";

/** By the kind of an error: its code, if its outcome alone does not decide that, and what happened, for {@link failureText}. */
const kinds: ByKind<readonly [code: ExitCode, text?: string]> = {
  configuration: [exitCodes.usage],
  request_validation: [exitCodes.usage],
  not_found: [exitCodes.notFound],
  retry: [exitCodes.unavailable, "The service was not available"],
  rate_limited: [exitCodes.unavailable, "The service received too many requests"],
  connection: [exitCodes.unavailable, "The service could not be reached"],
  timeout: [exitCodes.unavailable, "The service did not respond in time"],
  journal: [exitCodes.failed],
  unexpected_response: [exitCodes.failed, unread],
  response_validation: [exitCodes.failed, unread],
};

export const operations = [findVpas, createResponse, streamResponse, fareQuote, fareRule, book];

/** Whether an error is of an operation that changes nothing. */
function isLookUp({ operation }: AnyServiceApiError): boolean {
  return operations.some(({ name, retry }) => name === operation && retry === "safe");
}

/** Returns the exit code for an error of the library. */
export function exitCodeOf(error: AnyServiceApiError): ExitCode {
  const { kind, outcome, isRetryable } = error;
  // A booking that Ctrl-C left behind has an error of its own.
  if (kind === "abort") return exitCodes.interrupted;
  // Nobody has to look for the outcome of what is safe to retry, or of a look-up.
  if (outcome === "unknown" && !isRetryable && !isLookUp(error)) return exitCodes.unknown;
  // A look-up that the service still works on can be asked for again.
  if (kind === "in_progress" && isLookUp(error)) return exitCodes.unavailable;
  // The page of a gateway before a service that is not there.
  if (kind === "unexpected_response" && isRetryable) return exitCodes.unavailable;
  return ofKind(kinds, kind)?.[0] ?? exitCodes.refused;
}

/** Says what happened, by the kind of an error, to a person who knows no API. Ends without a full stop. */
export function failureText(kind: string): string {
  return ofKind(kinds, kind as ErrorKind)?.[1] ?? "The call failed";
}

/** The file of the results could not be written: the disk is full, or gone. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Prints an error of the library or of an output, and returns its exit code. Any other is a fault of the command. */
export function reportError(error: unknown, { json, events, showPii }: OutputFlags): ExitCode {
  if (error instanceof OutputError) {
    if (json) printJsonLine({ error: { name: error.name, message: error.message } });
    else printError(error.message);
    return exitCodes.failed;
  }
  if (!isServiceApiError(error)) throw error;
  const { clientReferenceId, outcome } = error;
  const mask = error.kind === "configuration" ? maskOwnMessage : maskMessage;
  const shown = showPii ? (text: string) => text : mask;
  // The service chooses it: one without a letter could be the number of a person.
  const requestId = error.requestId?.replace(/^[^a-z]+$/i, shown);
  // The service's own words are in the message and beside it.
  const { serviceMessage } = { serviceMessage: undefined, ...error.toJSON() };
  const quoted = typeof serviceMessage === "string" ? serviceMessage : undefined;
  const message = shown(terminalMessage(error.message, quoted));
  if (json || events) {
    const own = quoted === undefined ? {} : { serviceMessage: shown(quoted) };
    printJsonLine({ error: { ...error.toJSON(), message, requestId, ...own } });
  } else if (error.kind === "abort") {
    // It is what the person asked for.
    printNote("Interrupted.");
  } else {
    // A look-up changes nothing: what became of it decides nothing.
    const effect = isLookUp(error) ? undefined : outcome;
    const known = { outcome: effect, client_referenceId: clientReferenceId, "request ID": requestId };
    const facts = Object.entries(known).filter(([, value]) => value !== undefined && value !== "notSent");
    printError(cleanLine(message));
    if (facts.length > 0) printNote(facts.map(([label, value]) => `${label}: ${cleanLine(`${value}`)}`).join(" · "));
  }
  return exitCodeOf(error);
}

/**
 * Has a command and those below it print commander's own errors as all others are: as JSON under `--json`, and
 * otherwise with the name of the command whose help to read.
 */
export function explainUsageErrors(command: Command, path: readonly string[] = []): void {
  command
    .configureOutput({ outputError: (text) => printUsageError(text.trim().replace(/^error: /, ""), path) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage));
  for (const each of command.commands) explainUsageErrors(each, [...path, each.name()]);
}

function printUsageError(text: string, path: readonly string[]): void {
  const message = quoting.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
  // The arguments may not have been read as far as the flag.
  if (process.argv.some((word) => word === "--json" || word === "--events")) {
    printJsonLine({ error: new ConfigurationError(message) });
    return;
  }
  printError(message);
  printNote(`See ${[commandName, ...path, "--help"].join(" ")}.`);
}

/**
 * The messages of commander that quote a value, and what is printed instead: the value may be a secret in the wrong
 * place, and logs keep what a command prints. The names of options stay.
 */
const quoting: readonly (readonly [RegExp, string])[] = [
  [/^(unknown option '(?:--[^='\n]*(?=[='\n])|-[^-']))[\s\S]*'/, "$1'"],
  [/^(option '[^']*') argument '.*' is invalid\./s, "$1 is invalid."],
  [/^command-argument value '.*' is invalid for argument '(.*)'\./s, "argument '$1' is invalid."],
  [/^(too many arguments for 'bookings'.*?): .*$/s, "$1. Pass --reference to choose a booking."],
  [/^(too many arguments.*Expected [1-9].* but got \d+): .*$/s, "$1. Put quotes around an argument that has spaces."],
  [/^(too many arguments.* but got \d+): .*$/s, "$1."],
  // The next name by its letters would be `book`.
  [/^unknown command 'look-?up'.*$/s, "unknown command\n(Did you mean verify?)"],
  [/^(unknown command 'flights?').*$/s, "$1\n(Did you mean quote, rules, fees or book?)"],
  [/^(unknown command) '(?!flights?'\n).*'/s, "$1"],
];
