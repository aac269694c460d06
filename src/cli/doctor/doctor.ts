import { environmentHelp } from "../shared/client.ts";
import { clientOptions, declareCommand } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { terminalWidth } from "../shared/layout.ts";
import { printNote, printResult } from "../shared/print.ts";
import { exitOnInterrupt } from "../shared/process.ts";
import { checkRuntime, checkSettings } from "./checks/settings.ts";
import { checkWay } from "./checks/way.ts";
import { judge } from "./live/assumptions.ts";
import { type CallRecord, liveOptions, makeCalls, planCalls, unusedLiveFlags } from "./live/calls.ts";
import { type Check, failed, formatReport, isHealthy, noneFailed, notChecked, ok, reportJson } from "./report.ts";

const results = {
  "Exit codes": {
    0: "no check failed; warnings do not count",
    1: "a check failed, a call had no usable response, or an assumption is broken",
    2: "an option is wrong; nothing was sent",
  },
};

const webhookHelp = {
  "Also checked, never used": { SERVICEAPI_WEBHOOK_SECRET: "secret of webhooks, one on each line" },
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
  lists: { ...results, ...environmentHelp, ...webhookHelp },
  unused: unusedLiveFlags,
  async run(flags) {
    exitOnInterrupt();
    const planned = planCalls(flags);
    const settings = await checkSettings(flags);
    const checks = [
      { title: "This machine", checks: checkRuntime() },
      { title: "Settings", checks: settings.checks },
      { title: "The way to the service", checks: await checkWay(settings.options) },
    ];
    const isReady = noneFailed(checks.flatMap((group) => group.checks));
    if (planned.length > 0) {
      printNote(
        isReady ? "These calls are made, each once. None of them books." : "No call is made, because a check failed:",
      );
      for (const { operation, what } of planned) printNote(`  ${operation}: ${what}`);
    }
    const calls = isReady && planned.length > 0 ? await makeCalls(planned, settings.options, flags) : [];
    const groups = [...checks, { title: "Access", checks: checkAccess(calls) }];
    const report = { groups, calls, findings: calls.length > 0 ? judge(calls) : [] };
    printResult(flags, reportJson(report), () => formatReport(report, terminalWidth(maxWidth)));
    return isHealthy(report) ? exitCodes.done : exitCodes.failed;
  },
});

const howToFind =
  "It is the address of the NAT gateway, proxy or load balancer in front: read it in the console of your cloud, ask the people who run the network, and have it whitelisted.";

/**
 * Subjects that the service accepts or refuses, which only a call can show: the kind and the status of the refusal (a gateway
 * refuses with a status alone, and with a page), and advice after a refusal, and as long as no call was made.
 */
const subjects = [
  {
    name: "credentials",
    kind: "authentication",
    status: 401,
    refused: "Check client ID and secret in the partner panel (Developers, Developer Setting, Credentials).",
    unknown: "Only a call can show it: npx serviceapi doctor --live --refusal makes one that is harmless.",
  },
  {
    name: "IP address",
    kind: "permission",
    status: 403,
    refused: `The service may not have registered the public IP address of this machine. ${howToFind}`,
    unknown: `This machine cannot know the public IP address that the service sees. ${howToFind} npx serviceapi doctor --live --refusal makes a harmless call that shows whether it is accepted.`,
  },
] as const;

function checkAccess(calls: readonly CallRecord[]): readonly Check[] {
  const judged = subjects.map((subject) => {
    const isOf = ({ error, httpStatus }: CallRecord) =>
      error?.kind === subject.kind || (error !== undefined && httpStatus === subject.status);
    return { ...subject, refusal: calls.find(isOf) };
  });
  const other = judged.find(({ refusal }) => refusal !== undefined);
  return judged.map(({ name, refusal, refused, unknown }) => {
    if (refusal !== undefined) {
      return failed(name, `refused by the service (${refusal.operation}, HTTP ${refusal.httpStatus})`, refused);
    }
    if (calls.some(({ gotThrough }) => gotThrough)) return ok(name, "accepted by the service");
    if (calls.length === 0) return notChecked(name, "no call of the service was made", unknown);
    return other === undefined
      ? notChecked(name, "no call had a response that shows it", "See below how each call ended.")
      : notChecked(name, `the service refused the ${other.name}`, "Correct that first, and make the call again.");
  });
}
