import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { action, addOutputFlags } from "../shared/action.ts";
import { addClientFlags, createClient, environmentHelp } from "../shared/client.ts";
import type { ExitCode } from "../shared/exit-codes.ts";
import { formatTables, type Table } from "../shared/format-table.ts";
import { addVerifyFlags, fileFlags, type VerifyFlags } from "./flags.ts";

const examples: Table = {
  title: "Examples",
  rows: [
    ["one number", "serviceapi verify 6000000001 --consent Y"],
    ["a file", "serviceapi verify --file people.csv --column mobile --out result.csv --consent Y"],
    ["to another program", "serviceapi verify --file people.csv --consent Y --json --show-pii | jq .status"],
  ],
};

const fileHelp: Table = {
  title: "Files",
  rows: [
    [
      "--out",
      "has all columns of the file, and status, vpa, vpa_list, name, account_status and error.\nIts values are not masked, and only you may read it (mode 0600).",
    ],
    ["status", "found, notFound, pending, invalid (the number) or error"],
    ["Ctrl-C", "waits for the requests under way. Run the same command again to continue, also after a crash."],
    ["formulas", "what the service says and begins with = + - @ gets a ' before it, since spreadsheets would run it"],
  ],
};

/** `serviceapi verify`: the UPI IDs of a mobile number, or of all numbers of a CSV file (§4.1). */
export function registerVerifyCommand(program: Command): void {
  const command = program
    .command("verify")
    .description("find the UPI IDs that are linked to a mobile number, or to each number of a CSV file")
    .argument("[number]", "mobile number in any common spelling");
  addOutputFlags(addClientFlags(addVerifyFlags(command)))
    .addHelpText("after", () => `\n${formatTables([fileHelp, examples, environmentHelp])}`)
    .action(action(run));
}

async function run(number: string | undefined, flags: VerifyFlags, command: Command): Promise<ExitCode> {
  if ((number === undefined) === (flags.file === undefined)) {
    throw new ConfigurationError("Pass one mobile number, or a file with --file.");
  }
  const api = await createClient(flags);
  if (flags.file !== undefined) return (await import("./file.ts")).verifyFile(api, flags.file, flags);
  const ignored = fileFlags.find((name) => command.getOptionValueSource(name) === "cli");
  if (ignored !== undefined) throw new ConfigurationError(`--${kebab(ignored)} has no effect without --file.`);
  return (await import("./number.ts")).verifyNumber(api, number ?? "", flags);
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
