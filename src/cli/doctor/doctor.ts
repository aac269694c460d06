import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { action } from "../shared/action.ts";
import { addClientFlags, type ClientFlags, environmentHelp } from "../shared/client.ts";
import type { DescriptionList } from "../shared/description-list.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { exitOnInterrupt } from "../shared/interrupt.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { readTimeout } from "../shared/read-flags.ts";
import { terminalWidth } from "../shared/wrap.ts";
import type { LiveFlags } from "./live/plan.ts";
import type { Report } from "./report/report.ts";

interface DoctorFlags extends ClientFlags, LiveFlags {
  readonly json?: boolean;
}

/** `serviceapi doctor`: whether this machine is set up, and what the service does that the document does not show. */
export function registerDoctorCommand(program: Command): void {
  const command = program
    .command("doctor")
    .description("check settings, connection and clock; with --live, compare the service with docs/assumptions.md");
  addClientFlags(command)
    .option("--live", "make the calls that the flags below allow, and no others")
    .option("--refusal", "ask for a malformed mobile number, which nobody has, to see a refusal")
    .option("--verify <mobile>", "verify a mobile number; needs --consent Y")
    .option("--consent <Y>", "the consent of the holder of the account that --verify asks about")
    .option("--ask [text]", "generate two AI responses, whole and as a stream")
    .option("--quote <trace_id token...>", "quote a flight: the trace_id and the token of a search result")
    .option("--rules", "also look up the fare rules of the flight of --quote")
    .option(
      "--leading-segment <name>",
      "first path segment of the second published form of the AI path, if it is needed",
    )
    .option("--idle-timeout <ms>", "how long a stream may send nothing", readTimeout)
    .option("--stream-timeout <ms>", "timeout of a whole stream (default: 180000)", readTimeout)
    .option("--json", "print JSON")
    .option("--markdown", "print what the calls showed as Markdown, ready for an issue")
    .addHelpText("after", helpText(examples, [results, environmentHelp, webhookHelp]))
    .action(action((flags: DoctorFlags) => run(flags)));
}

const examples = `
  $ npx serviceapi doctor                                         # one GET request, without credentials
  $ npx serviceapi doctor --live --refusal                        # are credentials and IP address accepted?
  $ npx serviceapi doctor --live --refusal --ask --markdown       # what the service does, for an issue
  $ npx serviceapi doctor --live --quote "$TRACE_ID" "$TOKEN" --rules
`;

const results: DescriptionList = {
  title: "Exit codes",
  items: [
    ["0", "no check failed; warnings do not count"],
    [
      "1",
      "a check failed, a call had no usable response, or an assumption is broken that the library does not adapt to",
    ],
    ["2", "an option is wrong; nothing was sent"],
  ],
};

const webhookHelp: DescriptionList = {
  title: "Also checked, never used",
  items: [["SERVICEAPI_WEBHOOK_SECRET", "secret of webhooks, one on each line"]],
};

/** The table of the assumptions has several columns of prose. */
const maxWidth = 160;

async function run(flags: DoctorFlags): Promise<ExitCode> {
  if (flags.json && flags.markdown) throw new ConfigurationError("--json and --markdown exclude each other.");
  exitOnInterrupt();
  const { diagnose } = await import("./diagnose.ts");
  const report = await diagnose(flags, printNote);
  const { isHealthy } = await import("./report/report.ts");
  await show(report, flags);
  return isHealthy(report) ? exitCodes.done : exitCodes.failed;
}

async function show(report: Report, flags: DoctorFlags): Promise<void> {
  if (flags.json) printJson((await import("./report/json.ts")).reportJson(report));
  else if (flags.markdown) print((await import("./report/markdown.ts")).reportMarkdown(report));
  else print((await import("./report/text.ts")).formatReport(report, terminalWidth(maxWidth)));
}
