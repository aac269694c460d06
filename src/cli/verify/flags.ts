import { type Command, InvalidArgumentError, Option } from "commander";
import type { OutputFlags } from "../shared/action.ts";
import type { ClientFlags } from "../shared/client.ts";

/** The flags of `serviceapi verify`. */
export interface VerifyFlags extends ClientFlags, OutputFlags {
  readonly consent: "Y";
  readonly file?: string;
  readonly column?: string;
  readonly out?: string;
  readonly overwrite?: boolean;
  readonly delimiter?: string;
  readonly keepFormulas?: boolean;
  readonly concurrency: number;
  readonly perSecond: number;
  readonly pending: number;
}

/** Flags that have an effect with `--file` only. */
export const fileFlags = [
  "column",
  "out",
  "overwrite",
  "delimiter",
  "keepFormulas",
  "concurrency",
  "perSecond",
  "pending",
];

/** Adds the flags of {@link VerifyFlags} that are not those of every command. */
export function addVerifyFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--consent <Y>", "the account holders have agreed to the look-up (required)")
        .choices(["Y"])
        .makeOptionMandatory(),
    )
    .option("--file <file>", "CSV file with a header and a row for each number")
    .option("--column <name>", "column of the mobile number (default: mobile)")
    .option("--out <file>", "file for the results (default: standard output, masked)")
    .option("--overwrite", "replace the file of --out instead of continuing it")
    .option("--delimiter <character>", "delimiter of the file (default: the one of its header)", readDelimiter)
    .option("--keep-formulas", "put no ' before what a spreadsheet would run")
    .option("--concurrency <number>", "requests at the same time", readCount, 4)
    .option("--per-second <number>", "requests per second", readRate, 5)
    .option(
      "--pending <times>",
      "ask again for numbers that the service is still looking up, every 10 s",
      readTimes,
      0,
    );
}

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
