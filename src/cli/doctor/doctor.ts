import { environmentHelp } from "../shared/client.ts";
import { clientOptions, declareCommand } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { type DescriptionList, terminalWidth } from "../shared/layout.ts";
import { printResult } from "../shared/print.ts";
import { exitOnInterrupt } from "../shared/process.ts";
import { liveOptions, unusedLiveFlags } from "./live/calls.ts";

const results: DescriptionList = {
  title: "Exit codes",
  items: [
    ["0", "no check failed; warnings do not count"],
    ["1", "a check failed, a call had no usable response, or an assumption is broken"],
    ["2", "an option is wrong; nothing was sent"],
  ],
};

const webhookHelp: DescriptionList = {
  title: "Also checked, never used",
  items: [["SERVICEAPI_WEBHOOK_SECRET", "secret of webhooks, one on each line"]],
};

/** The table of the assumptions has several columns of prose. */
const maxWidth = 160;

export const addDoctor = declareCommand("doctor", {
  description: "check settings, connection and clock; with --live, compare the service with docs/assumptions.md",
  options: [...clientOptions, ...liveOptions],
  examples: `
  $ npx serviceapi doctor                                         # one GET request, without credentials
  $ npx serviceapi doctor --live --refusal                        # are credentials and IP address accepted?
  $ npx serviceapi doctor --live --refusal --ask                  # what the service does
  $ npx serviceapi doctor --live --quote "$TRACE_ID" "$TOKEN" --rules
`,
  lists: [results, environmentHelp, webhookHelp],
  unused: unusedLiveFlags,
  async run(flags) {
    exitOnInterrupt();
    const { diagnose } = await import("./diagnose.ts");
    const report = await diagnose(flags);
    const { formatReport, isHealthy, reportJson } = await import("./report.ts");
    printResult(flags, reportJson(report), () => formatReport(report, terminalWidth(maxWidth)));
    return isHealthy(report) ? exitCodes.done : exitCodes.failed;
  },
});
