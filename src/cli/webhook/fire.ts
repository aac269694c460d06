import { readFile } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { payoutEvent } from "../../emulator/deliveries/payout-event.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { formatTables } from "../shared/format-table.ts";
import type { ReceiverResponse } from "./acknowledgement.ts";
import { type Plan, plans, referenceOf } from "./plans.ts";
import { formatReport, isValid } from "./report.ts";
import { addSchemeOptions, readScheme, type SchemeFlags, secretHelp } from "./schemes.ts";

interface FireFlags extends SchemeFlags {
  readonly to: string;
  readonly status: (typeof statuses)[number];
  readonly amount?: number;
  readonly reference?: string;
  readonly body?: string;
  readonly plan: keyof typeof plans;
}

const statuses = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"] as const;
/** Longer than the seven seconds of §6.3, to show how late a late response is. */
const responseTimeout = 15_000;

/** `serviceapi webhook fire`: the test fire of §6.5.4, from this machine. */
export function registerFireCommand(webhook: Command): void {
  const fire = webhook
    .command("fire")
    .description("send a payout notification and check the acknowledgement; exit code 1 if it is invalid")
    .requiredOption("--to <url>", "callback URL to send it to (required)", readUrl)
    .addOption(new Option("--status <status>", "status of the payout").choices(statuses).default("SUCCESS"))
    .option("--amount <number>", `txn_amount (default: ${sampleAmount} for SUCCESS)`, readAmount)
    .option("--reference <text>", "client_referenceId (default: a new one)")
    .option("--body <json>", "the body, or @ and the name of a file that holds it")
    .addOption(
      new Option("--plan <plan>", "twice: deliver it again; race: two at once; conflict: then the opposite status")
        .choices(Object.keys(plans))
        .default("once"),
    );
  addSchemeOptions(fire)
    .addHelpText("after", () => `\n${formatTables([secretHelp])}`)
    .action(run);
}

const sampleAmount = payoutEvent({}, 0).txn_amount;

async function run(flags: FireFlags, command: Command): Promise<void> {
  try {
    const body = await readBody(flags, command);
    const checks = await readScheme(flags, command);
    const plan: Plan = plans[flags.plan];
    const fired = await plan.fire(body, async (text) => {
      const delivery = await sign(text, checks.length === 0 ? "none" : checks);
      return { delivery, reference: referenceOf(text), response: await send(flags.to, delivery) };
    });
    const together = plan.check(fired.map(({ response }) => response));
    process.stdout.write(`${formatReport(fired, together)}\n`);
    process.exitCode = isValid(fired, together) ? 0 : 1;
  } catch (error) {
    if (ConfigurationError.isInstance(error)) command.error(`error: ${error.message}`);
    throw error;
  }
}

/** Returns the notification of §6.2, or the body of `--body`, byte for byte. */
async function readBody(flags: FireFlags, command: Command): Promise<string> {
  const { body, status, amount, reference } = flags;
  if (body === undefined) {
    const client_referenceId = reference ?? `fire-${crypto.randomUUID().slice(0, 20)}`;
    return JSON.stringify(payoutEvent({ outcome: status, client_referenceId, amount }, Date.now() % 1_000_000));
  }
  const ignored = ["status", "amount", "reference"].find((name) => command.getOptionValueSource(name) === "cli");
  if (ignored !== undefined) throw new ConfigurationError(`--${ignored} has no effect with --body.`);
  if (!body.startsWith("@")) return body;
  try {
    return await readFile(body.slice(1), "utf8");
  } catch {
    throw new ConfigurationError(`--body: the file ${body.slice(1)} could not be read.`);
  }
}

async function send(to: string, { headers, body }: SignedDelivery): Promise<ReceiverResponse> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(responseTimeout);
    const response = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal });
    const text = await response.text();
    return { duration: since(), status: response.status, headers: response.headers, text };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    return { duration: since(), failure: reason };
  }
}

function readUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === "http:" || url?.protocol === "https:") return url.href;
  throw new InvalidArgumentError("It must be an http or https URL.");
}

function readAmount(text: string): number {
  const amount = Number(text);
  if (text.trim() !== "" && Number.isFinite(amount)) return amount;
  throw new InvalidArgumentError("It must be a number, such as 1500.50.");
}
