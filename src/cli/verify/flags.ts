import { type Command, InvalidArgumentError, Option } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { type ClientFlags, type OutputFlags, readMilliseconds, refuseUnused } from "../shared/options.ts";

/** The flags of `serviceapi verify`. */
export interface VerifyFlags extends ClientFlags, OutputFlags {
  readonly consent?: "Y";
  readonly consentColumn?: string;
  readonly file?: string;
  readonly column?: string;
  readonly out?: string;
  readonly overwrite?: boolean;
  readonly retry?: boolean;
  readonly delimiter?: string;
  readonly keepFormulas?: boolean;
  readonly concurrency: number;
  readonly perSecond: number;
  readonly pending: number;
  readonly pendingDelay?: number;
}

/** Adds the flags of {@link VerifyFlags} that are not those of every command. */
export function addVerifyFlags(command: Command): Command {
  return command
    .addOption(new Option("--consent <Y>", "the account holders have agreed to the look-up (required)").choices(["Y"]))
    .option("--consent-column <name>", "column that says so for each row, with Y; other rows are not looked up")
    .option("--file <file>", "CSV file with a header and a row for each number")
    .option("--column <name>", "column of the mobile number (default: mobile)")
    .option("--out <file>", "file for the results (default: standard output, masked)")
    .option("--overwrite", "replace the file of --out instead of continuing it")
    .option("--retry", "also look up the rows of the file of --out again that are pending, failed or corrected")
    .option("--delimiter <character>", "delimiter of the file (default: the one of its header)", readDelimiter)
    .option("--keep-formulas", "put no ' before what a spreadsheet would run")
    .option("--concurrency <number>", "requests at the same time", readCount, 4)
    .option("--per-second <number>", "requests per second", readRate, 5)
    .option("--pending <times>", "further requests for a number that the service is still looking up", readTimes, 0)
    .option("--pending-delay <ms>", "time before each of these (default: 10000)", readMilliseconds);
}

/**
 * Refuses flags that have no effect with the others.
 *
 * @throws ConfigurationError with the name of the first of them.
 */
export function refuseUnusedFlags(command: Command, flags: VerifyFlags): void {
  const { file, out, json, overwrite, pending } = flags;
  if (flags.consentColumn !== undefined) refuseUnused(command, ["consent"], "with --consent-column");
  else if (flags.consent === undefined) {
    throw new ConfigurationError(
      "Pass --consent Y if the account holders have agreed to the look-up, or --consent-column.",
    );
  }
  if (file === undefined) refuseUnused(command, fileFlags, "without --file");
  if (out === undefined) refuseUnused(command, ["overwrite", "retry"], "without --out");
  if (overwrite) refuseUnused(command, ["retry"], "with --overwrite, which begins the file again");
  if (out === undefined && json) refuseUnused(command, ["keepFormulas"], "with --json, which prints no CSV");
  if (pending === 0) refuseUnused(command, ["pendingDelay"], "without --pending");
}

/** The flags that have no effect on a look-up of one number. */
const fileFlags = [
  "column",
  "consentColumn",
  "out",
  "overwrite",
  "retry",
  "delimiter",
  "keepFormulas",
  "concurrency",
  "perSecond",
  "pending",
  "pendingDelay",
];

function readDelimiter(text: string): string {
  const delimiter = text === "\\t" ? "\t" : text;
  if (delimiter.length === 1 && !/["'\r\n]/.test(delimiter)) return delimiter;
  throw new InvalidArgumentError("It must be one character, such as ; or \\t.");
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer of at least 1.");
}

function readTimes(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer of at least 0.");
}

function readRate(text: string): number {
  if (/^\d{1,6}(\.\d+)?$/.test(text) && Number(text) >= 0.01) return Number(text);
  throw new InvalidArgumentError("It must be a number of at least 0.01.");
}
