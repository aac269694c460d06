import { clientOptions, type FlagsOf, numberParser, option, outputOptions, type Unused } from "../shared/command.ts";

const readCount = numberParser(/^[1-9]\d{0,3}$/, "an integer of at least 1");
const readRate = numberParser(/^\d{1,6}(\.\d+)?$/, "a number of at least 0.01", 0.01);
const fileOptions = [
  option("--column <name>", "column of the mobile number (default: mobile)"),
  option("--out <file>", "file for the results (default: standard output, masked)"),
  option("--overwrite", "replace the file of --out instead of continuing it"),
  option("--retry", "also look up the rows of the file of --out again that are pending, failed or corrected"),
  option("--keep-formulas", "put no ' before what a spreadsheet would run"),
  option("--concurrency <number>", "requests at the same time", readCount).default(4),
  option("--per-second <number>", "requests per second", readRate).default(5),
] as const;

const consentColumn = option(
  "--consent-column <name>",
  "column that says so for each row, with Y; other rows are not looked up",
);

export const verifyOptions = [
  option("--consent <Y>", "the account holders have agreed to the look-up (required)").choices(["Y"]),
  consentColumn,
  option("--file <file>", "CSV file with a header and a row for each number"),
  ...fileOptions,
  ...clientOptions,
  ...outputOptions(),
] as const;

export type VerifyFlags = FlagsOf<typeof verifyOptions>;

export function unusedFlags({ file, out, json, overwrite, ...flags }: VerifyFlags): readonly Unused[] {
  const ofFile = [consentColumn, ...fileOptions].map((each) => each.attributeName());
  return [
    flags.consentColumn !== undefined && ["with --consent-column", "consent"],
    file === undefined && ["without --file", ...ofFile],
    out === undefined && ["without --out", "overwrite", "retry"],
    overwrite === true && ["with --overwrite, which begins the file again", "retry"],
    out === undefined && json === true && ["with --json, which prints no CSV", "keepFormulas"],
  ];
}
