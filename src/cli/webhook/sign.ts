import type { Command } from "commander";
import { createReference } from "../../shared/ulid.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { declareCommand } from "../shared/command.ts";
import { readTextFile } from "../shared/input.ts";
import {
  choice,
  type FlagsOf,
  jsonOption,
  option,
  parser,
  readTime,
  readUrl,
  refuseUnused,
  withDefault,
} from "../shared/options.ts";
import { print, printJson, printNote, quote } from "../shared/print.ts";
import { readScheme, schemeOptions, secretHelp } from "./schemes.ts";

const statuses = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"] as const;
/** That of the samples. */
const sampleAmount = 8_500;

const readAmount = parser(
  (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  "a number, such as 1500.50",
);

export const notificationOptions = [
  withDefault(choice("--status <status>", "status of the payout", statuses), "SUCCESS"),
  option("--amount <number>", `txn_amount (default: ${sampleAmount})`, readAmount),
  option("--reference <text>", "client_referenceId (default: a new one)"),
  option("--body <json>", "the body, or @ and the name of a file that holds it"),
] as const;

/** Returns the notification of §6.2, or the body of `--body`, byte for byte. */
export async function readNotification(
  { body, status, amount = sampleAmount, reference }: FlagsOf<typeof notificationOptions>,
  command: Command,
): Promise<string> {
  if (body === undefined) {
    const { payoutEvent } = await import("../../emulator/deliveries/payout-event.ts");
    const client_referenceId = reference ?? createReference();
    return JSON.stringify(payoutEvent({ outcome: status, client_referenceId, amount }, Date.now() % 1_000_000));
  }
  refuseUnused(command, ["status", "amount", "reference"], "with --body");
  return body.startsWith("@") ? readTextFile(body.slice(1), "--body") : body;
}

const defaultUrl = "http://127.0.0.1:3000/hook";

export const addSign = declareCommand("sign", {
  description: "print a signed payout notification as a curl command",
  options: [
    option("--to <url>", `URL in the command (default: ${defaultUrl})`, readUrl),
    ...notificationOptions,
    ...schemeOptions,
    option("--now <time>", "time of signing (default: now)", readTime),
    option("--id <text>", "identifier of the delivery, which is its nonce too (default: a new one)"),
    jsonOption("print headers and body as JSON"),
  ],
  examples: `
  $ npx serviceapi webhook sign --reference order-17 --prefix sha256=
  $ npx serviceapi webhook sign --body @notification.json --to http://127.0.0.1:3000/hook | sh
  $ npx serviceapi webhook sign --auth standard-webhooks --now 2026-11-20T06:00:00Z --id msg_1 --json
`,
  lists: [secretHelp],
  async run(flags, _, command) {
    const { now, id, to = defaultUrl, json } = flags;
    const body = await readNotification(flags, command);
    const scheme = await readScheme(flags, command);
    if (flags.auth !== "standard-webhooks") {
      if (flags.timestampHeader === undefined) refuseUnused(command, ["now"], "without --timestamp-header");
      if (flags.nonceHeader === undefined) refuseUnused(command, ["id"], "without --nonce-header");
    }
    const delivery = await sign(body, scheme, { now, id });
    if (json) printJson(delivery);
    else print(curlCommand(delivery, to));
    if (flags.auth === "basic") printNote("The header authorization holds the user name and the password.");
  },
});

/** Returns a command for POSIX shells that sends the delivery, byte for byte. */
function curlCommand({ headers, body }: SignedDelivery, to: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`);
  return ["curl -sS", ...lines, `--data-raw ${quote(body)}`, quote(to)].join(" \\\n  ");
}
