import { version } from "../../version.ts";
import type { ClientFlags } from "../shared/command.ts";
import { printNote } from "../shared/print.ts";
import { type Check, failed, noneFailed, notChecked, ok, warning } from "./checks/check.ts";
import { checkSettings } from "./checks/settings.ts";
import { checkWay } from "./checks/way.ts";
import { judge } from "./live/assumptions.ts";
import { type CallRecord, type LiveFlags, makeCalls, planCalls } from "./live/calls.ts";

export type Report = Awaited<ReturnType<typeof diagnose>>;

/** Makes the checks, and the calls that the flags allow. Without a call there are no findings. */
export async function diagnose(flags: ClientFlags & LiveFlags) {
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
  const access = { title: "Access", checks: subjects.map((subject) => checkAccess(subject, calls)) };
  return { groups: [...checks, access], calls, findings: calls.length > 0 ? judge(calls) : [] };
}

/** Names the runtime, and checks settings of it that the service must not meet. The command runs on no older one. */
function checkRuntime(): readonly Check[] {
  // Bun and Deno also name a version of Node, the one that they imitate.
  const { bun, deno, node }: NodeJS.Dict<string> = process.versions;
  const runtime = ok(
    "runtime",
    `${bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`}, serviceapi ${version}`,
  );
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return [runtime];
  const problem = "NODE_TLS_REJECT_UNAUTHORIZED=0 disables them: anyone on the way can read the client secret";
  const advice = "Unset it. For a private authority set NODE_EXTRA_CA_CERTS to the file of its certificate.";
  return [runtime, warning("certificate checks", problem, advice)];
}

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

type Subject = (typeof subjects)[number];

function checkAccess(subject: Subject, calls: readonly CallRecord[]): Check {
  const { name, refused, unknown } = subject;
  const refusal = findRefusal(subject, calls);
  if (refusal !== undefined) {
    const { operation, exchange } = refusal;
    return failed(name, `refused by the service (${operation}, HTTP ${exchange?.status})`, refused);
  }
  if (calls.some(({ gotThrough }) => gotThrough)) return ok(name, "accepted by the service");
  if (calls.length === 0) return notChecked(name, "no call of the service was made", unknown);
  const other = subjects.find((each) => findRefusal(each, calls) !== undefined);
  return other === undefined
    ? notChecked(name, "no call had a response that shows it", "See below how each call ended.")
    : notChecked(name, `the service refused the ${other.name}`, "Correct that first, and make the call again.");
}

function findRefusal({ kind, status }: Subject, calls: readonly CallRecord[]): CallRecord | undefined {
  return calls.find(({ error, exchange }) => error?.kind === kind || (error && exchange?.status === status));
}
