import { ConfigurationError } from "../../errors/request.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { declareCommand } from "../shared/command.ts";
import { quote } from "../shared/print.ts";
import { unusedFlags, verifyOptions } from "./flags.ts";
import { verifyNumber } from "./number.ts";
import { verifyFile } from "./run.ts";

const fileHelp = {
  Files: {
    "--out":
      "has all columns of the file, and status, vpa, vpa_list, name, account_status and error.\nIts values are not masked, and only you may read it (mode 0600).",
    status: "found, notFound, pending, invalid (the number) or failed",
    "Ctrl-C": "waits for the requests under way. Run the same command again to continue, also after a crash.",
    "--retry":
      "looks up the rows that are pending or failed again, and invalid or notFound ones that were corrected.\nAll rows are written to result.csv.retry, which then replaces result.csv.",
    formulas: "a ' comes before = + - @ where a spreadsheet would run the result as a formula",
  },
};

export const addVerify = declareCommand("verify", {
  description: "find the UPI IDs that are linked to a mobile number, or to each number of a CSV file",
  args: { "[number]": "mobile number in any common spelling" },
  options: verifyOptions,
  examples: `
  $ npx serviceapi verify 6000000001 --consent Y
  $ npx serviceapi verify --file people.csv --column mobile --out result.csv --consent Y
  $ npx serviceapi verify --file people.csv --column mobile --out result.csv --consent Y --retry
  $ npx serviceapi verify --file people.csv --consent-column agreed --out result.csv
  $ npx serviceapi verify --file people.csv --consent Y --json --show-pii | jq .status
`,
  lists: { ...fileHelp, ...environmentHelp },
  unused: unusedFlags,
  async run(flags, [number]) {
    const { file } = flags;
    if (file === undefined && number !== undefined && /\.(csv|tsv|txt)$/i.test(number)) {
      throw new ConfigurationError(`A file is passed with a flag: pass --file ${quote(number)}.`);
    }
    if ((number === undefined) === (file === undefined)) {
      throw new ConfigurationError("Pass one mobile number, or a file with --file.");
    }
    if (flags.consent === undefined && flags.consentColumn === undefined) {
      throw new ConfigurationError(
        "Pass --consent Y if the account holders have agreed to the look-up, or --consent-column.",
      );
    }
    const api = await createClient(flags);
    return file === undefined ? verifyNumber(api, number ?? "", flags) : verifyFile(api, file, flags);
  },
});
