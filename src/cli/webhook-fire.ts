import { text as readAll } from "node:stream/consumers";
import { type Command, InvalidArgumentError, Option } from "commander";
import { type PayoutEvent, payoutEvent } from "../emulator/payout-event.ts";
import { ConfigurationError } from "../errors/request.ts";
import { basic } from "../webhooks/auth/basic.ts";
import type { WebhookCheck } from "../webhooks/auth/check.ts";
import { hmac } from "../webhooks/auth/hmac.ts";
import { standardWebhooks } from "../webhooks/auth/standard-webhooks.ts";
import { type SignedDelivery, sign } from "../webhooks/sign.ts";
import { formatSections, type Section } from "./sections.ts";
import { type Answer, isRefused, judge } from "./webhook-verdict.ts";

interface FireFlags {
  readonly to: string;
  readonly status: (typeof statuses)[number];
  readonly amount?: number;
  readonly reference?: string;
  readonly auth: keyof typeof schemes;
  readonly header: string;
  readonly encoding: "hex" | "base64" | "base64url";
  readonly prefix: string;
  readonly secretStdin?: boolean;
}

const statuses = ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"] as const;
const secretName = "SERVICEAPI_WEBHOOK_SECRET";
/** §6.3 gives seven seconds; a little more shows how late a late answer is. */
const patience = 15_000;

/** `serviceapi webhook fire`: the test fire of §6.5.4, from this machine. */
export function registerFireCommand(webhook: Command): void {
  webhook
    .command("fire")
    .description("send one payout notification and judge the acknowledgement; exit code 1 when it is wrong")
    .requiredOption("--to <url>", "where to send it (required)", readUrl)
    .addOption(new Option("--status <status>", "of the payout").choices(statuses).default("SUCCESS"))
    .option("--amount <number>", `txn_amount (default: the sample's, ${sampleAmount} for SUCCESS)`, readAmount)
    .option("--reference <text>", "client_referenceId; by default a new one")
    .addOption(
      new Option("--auth <scheme>", "how to sign it; see below for its secret")
        .choices(Object.keys(schemes))
        .default("hmac"),
    )
    .option("--header <name>", "hmac: the signature's header", "x-signature")
    .addOption(
      new Option("--encoding <name>", "hmac: of the signature").choices(["hex", "base64", "base64url"]).default("hex"),
    )
    .option("--prefix <text>", "hmac: what stands before the signature, such as sha256=", "")
    .option("--secret-stdin", `read the secret from standard input instead of ${secretName}`)
    .addHelpText("after", () => `\n${formatSections([secretHelp])}`)
    .action(run);
}

const sampleAmount = payoutEvent({}, 0).txn_amount;

const secretHelp: Section = {
  title: `The secret, required (${secretName}, or --secret-stdin)`,
  rows: [
    ["hmac", "the key"],
    ["standard-webhooks", "whsec_ and the key in base64"],
    ["basic", "user:password"],
    ["none", "no secret: the notification is not signed"],
  ],
};

const schemes = {
  hmac: (secret: string, { header, encoding, prefix }: FireFlags) =>
    hmac({ header, encoding, prefix, secrets: [secret] }),
  "standard-webhooks": (secret: string) => standardWebhooks({ secrets: [secret] }),
  basic: (secret: string) => {
    const colon = secret.indexOf(":");
    if (colon === -1) throw new ConfigurationError("basic: the secret is user:password, and the colon is missing.");
    return basic({ credentials: [{ username: secret.slice(0, colon), password: secret.slice(colon + 1) }] });
  },
  none: () => "none" as const,
} satisfies Record<string, (secret: string, flags: FireFlags) => WebhookCheck | "none">;

async function run(flags: FireFlags, command: Command): Promise<void> {
  try {
    const event = payoutEvent(
      {
        outcome: flags.status,
        client_referenceId: flags.reference ?? `fire-${crypto.randomUUID().slice(0, 20)}`,
        ...(flags.amount !== undefined && { amount: flags.amount }),
      },
      Date.now() % 1_000_000,
    );
    const scheme = schemes[flags.auth](flags.auth === "none" ? "" : await readSecret(flags), flags);
    const delivery = await sign(event, scheme);
    report(delivery, event, await send(flags.to, delivery));
  } catch (error) {
    if (ConfigurationError.isInstance(error)) command.error(`error: ${error.message}`);
    throw error;
  }
}

/** Never from the command line, which every user of the machine can see. */
async function readSecret({ secretStdin }: FireFlags): Promise<string> {
  const secret = secretStdin ? (await readAll(process.stdin)).replace(/\r?\n$/, "") : process.env[secretName];
  if (secret) return secret;
  throw new ConfigurationError(`No secret. Set ${secretName}, use --secret-stdin, or --auth none.`);
}

async function send(to: string, { headers, body }: SignedDelivery): Promise<Answer> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal });
    const text = await response.text();
    return { milliseconds: since(), status: response.status, headers: response.headers, text };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    return { milliseconds: since(), failure: reason };
  }
}

function report(delivery: SignedDelivery, event: PayoutEvent, answer: Answer): void {
  const problems = judge(answer, String(event.client_referenceId));
  const sections = formatSections([
    {
      title: "Request",
      rows: [
        ["headers", Object.keys(delivery.headers).join(", ")],
        ["body", pretty(delivery.body)],
      ],
    },
    {
      title: "Answer",
      rows: [
        ["status", `${answer.status ?? "none"}`],
        ["body", answer.text ? pretty(answer.text) : "none"],
        ["time taken", `${answer.milliseconds} ms`],
      ],
    },
  ]);
  const verdict =
    problems.length === 0 ? ["✔ the acknowledgement is right"] : problems.map((problem) => `✖ ${problem}`);
  const hint = isRefused(answer) ? ["The receiver's hooks are told why: onRefused, onError, onLateError."] : [];
  process.stdout.write(`${[sections, "", ...verdict, ...hint].join("\n")}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** JSON line by line; of anything else, such as the page of a gateway, the beginning. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, 500);
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
