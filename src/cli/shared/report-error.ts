import { isServiceApiError } from "../../errors/any.ts";
import { cleanLine } from "./clean-text.ts";
import { type ExitCode, exitCodeOf, isLookUp } from "./exit-codes.ts";
import { maskMessage } from "./mask.ts";
import type { OutputFlags } from "./output-flags.ts";
import { printError, printJson, printJsonLine, printNote } from "./print.ts";
import { terminalMessage } from "./terminal-message.ts";

/** Options of {@link reportError}. */
export interface ReportSettings {
  /** Under `--json`, the results are documents of one line each, and so is an error. @default false */
  readonly jsonLines?: boolean;
}

/**
 * Prints an error that is the library's, and returns its exit code.
 *
 * @throws Any other error: it is a fault of the command.
 */
export function reportError(
  error: unknown,
  { json = false, events = false, showPii = false }: OutputFlags,
  { jsonLines = false }: ReportSettings = {},
): ExitCode {
  if (!isServiceApiError(error)) throw error;
  const { clientReferenceId, requestId, outcome } = error;
  const shown = showPii ? (text: string) => text : maskMessage;
  // The service's own words are in the message and beside it.
  const { serviceMessage } = { serviceMessage: undefined, ...error.toJSON() };
  const quoted = typeof serviceMessage === "string" ? serviceMessage : undefined;
  const message = shown(terminalMessage(error.message, quoted));
  if (json || events) {
    const printDocument = jsonLines || events ? printJsonLine : printJson;
    const own = quoted === undefined ? {} : { serviceMessage: shown(quoted) };
    printDocument({ error: { ...error.toJSON(), message, ...own } });
  } else if (error.kind === "abort") {
    // It is what the person asked for.
    printNote("Interrupted.");
  } else {
    // A look-up changes nothing: what became of it decides nothing.
    const effect = isLookUp(error) ? undefined : outcome;
    const known = { outcome: effect, client_referenceId: clientReferenceId, "request ID": requestId };
    const facts = Object.entries(known).filter(([, value]) => value !== undefined && value !== "notSent");
    // The service chooses the ID.
    printError(cleanLine(message));
    if (facts.length > 0) printNote(facts.map(([label, value]) => `${label}: ${cleanLine(`${value}`)}`).join(" · "));
  }
  return exitCodeOf(error);
}
