import type { ServiceApi } from "../../service-api.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { ignoreInterrupts, interruptible } from "../shared/interrupt.ts";
import { printError, printJsonLine, printNote } from "../shared/print.ts";
import { reportError } from "../shared/report-error.ts";
import type { VerifyFlags } from "./flags.ts";
import { type CsvInput, openInput } from "./input.ts";
import { lookUpRows } from "./look-up-rows.ts";
import { OutputError } from "./output-error.ts";
import { openSink } from "./sink.ts";

/**
 * Looks up the numbers of a CSV file, and writes a row for each. The first Ctrl-C ends it after the requests that are
 * under way, the second one now.
 */
export async function verifyFile(api: ServiceApi, file: string, flags: VerifyFlags): Promise<ExitCode> {
  const input = await openInput(file, flags.column, flags.delimiter);
  warnOfShortened(input);
  const now = new AbortController();
  let advice: string | undefined;
  const advise = (text: string) => {
    advice = text;
  };
  try {
    const sink = await openSink(input, flags);
    return await interruptible(
      (signal) => lookUpRows(api, { input, sink, flags, drain: signal, now: now.signal, advise }),
      () => now.abort(),
    );
  } catch (error) {
    const code = report(error, flags);
    if (advice !== undefined && !(error instanceof OutputError && error.isTaken)) printNote(advice);
    return code;
  } finally {
    ignoreInterrupts();
  }
}

function report(error: unknown, flags: VerifyFlags): ExitCode {
  if (!(error instanceof OutputError)) return reportError(error, flags, { jsonLines: true });
  if (flags.json) printJsonLine({ error: { name: error.name, message: error.message } });
  else printError(error.message);
  return exitCodes.failed;
}

function warnOfShortened({ shortened: { count, first } }: CsvInput): void {
  if (count === 0) return;
  const which = count === 1 ? `The number in line ${first} is` : `${count} numbers, the first in line ${first}, are`;
  printNote(
    `${which} in scientific notation: a spreadsheet has dropped digits. Format the column as text there, and export the file again.`,
  );
}
