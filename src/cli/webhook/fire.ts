import { type Command, Option } from "commander";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { action } from "../shared/action.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { addJsonFlag } from "../shared/output-flags.ts";
import { print, printJson } from "../shared/print.ts";
import { readUrl } from "../shared/read-flags.ts";
import type { ReceiverResponse } from "./acknowledgement.ts";
import { addNotificationFlags, type NotificationFlags, readNotification } from "./notification.ts";
import { type Plan, plans, referenceOf } from "./plans.ts";
import { formatReport, isValid, reportOf } from "./report.ts";
import { addSchemeOptions, type SchemeFlags, secretHelp } from "./scheme-flags.ts";
import { readScheme } from "./schemes.ts";

interface FireFlags extends SchemeFlags, NotificationFlags {
  readonly to: string;
  readonly plan: keyof typeof plans;
  readonly json?: boolean;
}

/** Longer than the seven seconds of §6.3, to show how late a late response is. */
const responseTimeout = 15_000;

const examples = `
  $ npx serviceapi webhook listen --auth none   # a receiver, in another terminal
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --reference order-17 --amount 8500
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --plan race --prefix sha256=
`;

/** `serviceapi webhook fire`: the test fire of §6.5.4, from this machine. */
export function registerFireCommand(webhook: Command): void {
  const fire = webhook
    .command("fire")
    .description("send a payout notification and check the acknowledgement; exit code 1 if it is invalid")
    .requiredOption("--to <url>", "callback URL to send it to (required)", readUrl);
  addNotificationFlags(fire).addOption(
    new Option("--plan <plan>", "twice: deliver it again; race: two at once; conflict: then the opposite status")
      .choices(Object.keys(plans))
      .default("once"),
  );
  addJsonFlag(addSchemeOptions(fire), "print the deliveries, their responses and the problems as JSON")
    .addHelpText("after", helpText(examples, [secretHelp]))
    .action(action(run));
}

async function run(flags: FireFlags, command: Command): Promise<ExitCode> {
  const body = await readNotification(flags, command);
  const checks = await readScheme(flags, command);
  const plan: Plan = plans[flags.plan];
  const fired = await plan.fire(body, async (text) => {
    const delivery = await sign(text, checks.length === 0 ? "none" : checks);
    return { delivery, reference: referenceOf(text), response: await send(flags.to, delivery) };
  });
  const together = plan.check(fired.map(({ response }) => response));
  if (flags.json) printJson(reportOf(fired, together));
  else print(formatReport(fired, together, plan.lookFor));
  if (fired.every(({ response }) => response.isUnreachable)) return exitCodes.unavailable;
  return isValid(fired, together) ? exitCodes.done : exitCodes.failed;
}

/** The longest body that is read: an acknowledgement has a hundred bytes. */
const maxResponseBytes = 64 * 1024;

/** Returns the body, or its start if it is too long. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) break;
  }
  return text + decoder.decode();
}

async function send(to: string, { headers, body }: SignedDelivery): Promise<ReceiverResponse> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(responseTimeout);
    const response = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal });
    const text = await readStart(response);
    return { duration: since(), status: response.status, headers: response.headers, text };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    const isUnreachable = unreachable.has(Object(cause).code);
    return { duration: since(), failure: reason, isUnreachable };
  }
}

/** The codes of Node for a host that was not found, or on which nobody listens. */
const unreachable: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
