import type { Command } from "commander";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { action, addJsonFlag, print, printJson, printNote } from "../shared/action.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { formatTables } from "../shared/format-table.ts";
import { readTime, readUrl } from "../shared/read-flags.ts";
import { addNotificationFlags, type NotificationFlags, readNotification } from "./notification.ts";
import { addSchemeOptions, readScheme, type SchemeFlags, secretHelp } from "./schemes.ts";

interface SignFlags extends SchemeFlags, NotificationFlags {
  readonly to?: string;
  readonly now?: number;
  readonly id?: string;
  readonly json?: boolean;
}

const defaultUrl = "http://127.0.0.1:3000/hook";

const examples = `
Examples:
  $ serviceapi webhook sign --reference order-17 --prefix sha256=
  $ serviceapi webhook sign --body @notification.json --to http://127.0.0.1:3000/hook | sh
  $ serviceapi webhook sign --auth standard-webhooks --now 2026-11-20T06:00:00Z --id msg_1 --json
`;

/** `serviceapi webhook sign`: a signed notification, to send or to keep. */
export function registerSignCommand(webhook: Command): void {
  const command = webhook
    .command("sign")
    .description("print a signed payout notification as a curl command")
    .option("--to <url>", `URL in the command (default: ${defaultUrl})`, readUrl);
  addSchemeOptions(addNotificationFlags(command))
    .option("--now <time>", "time of signing (default: now)", readTime)
    .option("--id <text>", "identifier of the delivery, which is its nonce too (default: a new one)");
  addJsonFlag(command, "print headers and body as JSON")
    .addHelpText("after", () => `${examples}\n${formatTables([secretHelp])}`)
    .action(action(run));
}

async function run(flags: SignFlags, command: Command): Promise<ExitCode> {
  const { now, id, to, json } = flags;
  const body = await readNotification(flags, command);
  const checks = await readScheme(flags, command);
  const delivery = await sign(body, checks.length === 0 ? "none" : checks, { now, id });
  if (json) printJson(delivery);
  else print(curlCommand(delivery, to ?? defaultUrl));
  if (flags.auth === "basic") printNote("The header authorization holds the user name and the password.");
  return exitCodes.done;
}

/** Returns a command for POSIX shells that sends the delivery, byte for byte. */
function curlCommand({ headers, body }: SignedDelivery, to: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`);
  return ["curl", ...lines, `--data-raw ${quote(body)}`, quote(to)].join(" \\\n  ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
