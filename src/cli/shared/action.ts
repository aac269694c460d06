import { styleText } from "node:util";
import type { Command } from "commander";
import { isServiceApiError } from "../../errors/any.ts";
import { cleanJson, cleanLine, cleanText } from "./clean-text.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { maskMessage } from "./mask.ts";

/** The flags that say how a command prints. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly showPii?: boolean;
  /** Of commands that print the events of a stream: a line of JSON for each. */
  readonly events?: boolean;
}

/** Settings of a command that differ from those of most. */
export interface ActionSettings {
  /** Under `--json`, the results are documents of one line each, and so is an error. @default false */
  readonly jsonLines?: boolean;
}

/** Adds `--json` for a command whose output has no personal data. */
export function addJsonFlag(command: Command, description = "print JSON"): Command {
  return command.option("--json", description);
}

/** Adds `--json` and `--show-pii`. */
export function addOutputFlags(command: Command, description?: string): Command {
  return addJsonFlag(command, description).option(
    "--show-pii",
    "print names, numbers and addresses of people unmasked",
  );
}

/**
 * Returns the action of a command: `run`, whose result is the exit code. An error is printed, with what is known of its
 * effect, as JSON under `--json`, and decides the exit code.
 *
 * @param run - Receives what commander passes: the arguments, the flags, the command.
 * @param settings - See {@link ActionSettings}.
 */
export function action<Args extends readonly unknown[]>(
  run: (...args: Args) => Promise<ExitCode | undefined> | ExitCode | undefined,
  settings: ActionSettings = {},
): (...args: Args) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    try {
      process.exitCode = (await run(...args)) ?? exitCodes.done;
    } catch (error) {
      process.exitCode = report(error, command.optsWithGlobals<OutputFlags>(), settings);
    }
  };
}

/**
 * Prints an error that is the library's, and returns its exit code.
 *
 * @throws Any other error: it is a fault of the command.
 */
export function report(
  error: unknown,
  { json = false, events = false, showPii = false }: OutputFlags,
  { jsonLines = false }: ActionSettings = {},
): ExitCode {
  if (!isServiceApiError(error)) throw error;
  const { name, clientReferenceId, requestId, outcome } = error;
  const shown = showPii ? (text: string) => text : maskMessage;
  const message = shown(error.message);
  if (json || events) {
    const printDocument = jsonLines || events ? printJsonLine : printJson;
    // The service's own words are in both.
    const { serviceMessage } = { serviceMessage: undefined, ...error.toJSON() };
    const own = typeof serviceMessage === "string" ? { serviceMessage: shown(serviceMessage) } : {};
    printDocument({ error: { ...error.toJSON(), message, ...own } });
  } else {
    const known = { outcome, client_referenceId: clientReferenceId, "request ID": requestId };
    const facts = Object.entries(known).filter(([, value]) => value !== undefined && value !== "notSent");
    // The message may quote the service, and the service chooses the ID.
    printError(`${name}: ${cleanText(message)}`);
    if (facts.length > 0) printNote(facts.map(([label, value]) => `${label}: ${cleanLine(`${value}`)}`).join(" · "));
  }
  return exitCodeOf(error);
}

/** Whether the command goes on although nobody reads what it prints. */
let mustFinish = false;

/** Says that the command must not end early: a booking is under way, and its exit code is the news. */
export function finishWithoutReader(): void {
  mustFinish = true;
}

/** Ends the process if a reader such as `head` has stopped before the end. Called once, at the start. */
export function endWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (mustFinish) return;
      process.exit(code === "EPIPE" ? (process.exitCode ?? exitCodes.done) : exitCodes.failed);
    });
  }
}

/** Prints a line, or several, to the output that pipes and files receive. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints one JSON document. */
export function printJson(value: unknown): void {
  print(cleanJson(JSON.stringify(value, null, 2)));
}

/** Prints one JSON document as a line, for a stream of results. */
export function printJsonLine(value: unknown): void {
  print(cleanJson(JSON.stringify(value)));
}

/** Prints a line for people beside the output, which a pipe does not receive. */
export function printNote(text: string): void {
  process.stderr.write(`${styleText("dim", text, { stream: process.stderr })}\n`);
}

/** Prints an error for people. */
export function printError(text: string): void {
  process.stderr.write(`${styleText("red", "error:", { stream: process.stderr })} ${text}\n`);
}
