import { payoutEvent } from "../../emulator/deliveries/payout-event.ts";
import { createReference } from "../../shared/ulid.ts";
import { sign } from "../../webhooks/sign.ts";
import { declareCommand, type FlagsOf, jsonOption, option, parser, readers } from "../shared/command.ts";
import { readTextFile } from "../shared/input.ts";
import { printNote, printResult, quote } from "../shared/print.ts";
import { readScheme, schemeOptions, secretHelp, unusedByScheme } from "./schemes.ts";

/** That of the samples. */
const sampleAmount = 8_500;

const readAmount = parser(
  (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined),
  "a number, such as 1500.50",
);

export const notificationOptions = [
  option("--status <status>", "status of the payout")
    .choices(["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"])
    .default("SUCCESS"),
  option("--amount <number>", `txn_amount (default: ${sampleAmount})`, readAmount),
  option("--reference <text>", "client_referenceId (default: a new one)"),
  option("--body <json>", "the body, or @ and the name of a file that holds it"),
] as const;

/** Returns the notification of §6.2, or the body of `--body`, byte for byte. */
export function readNotification({
  body,
  status,
  amount = sampleAmount,
  reference = createReference(),
}: FlagsOf<typeof notificationOptions>): string {
  if (body !== undefined) return body.startsWith("@") ? readTextFile(body.slice(1), "--body") : body;
  // The numbers of a reference are always the same: other ones would be a conflict, not a redelivery.
  const number = Buffer.from(reference).reduce((sum, byte) => (sum * 31 + byte) % 1_000_000, 1);
  return JSON.stringify(payoutEvent({ outcome: status, client_referenceId: reference, amount }, number));
}

export function unusedWithBody({ body }: FlagsOf<typeof notificationOptions>) {
  return body !== undefined && (["with --body", "status", "amount", "reference"] as const);
}

const defaultUrl = "http://127.0.0.1:3000/hook";

export const addSign = declareCommand("sign", {
  description: "print a signed payout notification as a curl command",
  options: [
    option("--to <url>", `URL in the command (default: ${defaultUrl})`, readers.url),
    ...notificationOptions,
    ...schemeOptions,
    option("--now <time>", "time of signing (default: now)", readers.time),
    option("--id <text>", "identifier of the delivery, which is its nonce too (default: a new one)"),
    jsonOption("print headers and body as JSON"),
  ],
  examples: `
  $ npx serviceapi webhook sign --reference order-17 --prefix sha256=
  $ npx serviceapi webhook sign --body @notification.json --to http://127.0.0.1:3000/hook | sh
  $ npx serviceapi webhook sign --auth standard-webhooks --now 2026-11-20T06:00:00Z --id msg_1 --json
`,
  lists: secretHelp,
  unused(flags) {
    const hasHeaders = flags.auth === "standard-webhooks";
    return [
      unusedWithBody(flags),
      ...unusedByScheme(flags),
      !hasHeaders && flags.timestampHeader === undefined && ["without --timestamp-header", "now"],
      !hasHeaders && flags.nonceHeader === undefined && ["without --nonce-header", "id"],
    ];
  },
  async run(flags) {
    const { now, id, to = defaultUrl } = flags;
    const body = readNotification(flags);
    const scheme = await readScheme(flags);
    const delivery = await sign(body, scheme, { now, id });
    printResult(flags, delivery, () => {
      const lines = Object.entries(delivery.headers).map(([name, value]) => `--header ${quote(`${name}: ${value}`)}`);
      return ["curl -sS", ...lines, `--data-raw ${quote(delivery.body)}`, quote(to)].join(" \\\n  ");
    });
    if (flags.auth === "basic") printNote("The header authorization holds the user name and the password.");
  },
});
