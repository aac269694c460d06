import { type Command, Option } from "commander";
import type { FramingName } from "../../emulator/ai/framing.ts";
import type { WebhookSettings } from "../../emulator/deliveries/types.ts";
import type { EmulatorOptions, ListenOptions } from "../../emulator/emulator.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { hmac } from "../../webhooks/auth/hmac.ts";
import type { DigestEncoding } from "../../webhooks/auth/mac.ts";
import { readMilliseconds, readPort, readPrefixes, readTimeout, readUrl } from "../shared/read-flags.ts";

/** The flags of `serviceapi emulator`: where it listens, and every option of `createEmulator` but `onRequest`. */
export interface EmulatorFlags {
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly console?: boolean;
  readonly on?: string;
  readonly now?: string;
  readonly pace?: number;
  readonly framing?: FramingName;
  readonly strict: boolean;
  readonly sessionLifetime?: number;
  readonly failureStatus?: "asCode" | "200";
  readonly retryAfter?: number;
  readonly pathPrefix?: readonly string[];
  readonly webhookUrl?: string;
  readonly webhookHeader?: string;
  readonly webhookPrefix?: string;
  readonly webhookEncoding?: DigestEncoding;
  readonly webhookRetries?: readonly number[];
  readonly webhookAckTimeout?: number;
  readonly webhookFailed?: "retry" | "final";
  readonly webhookResign?: boolean;
  readonly json?: boolean;
}

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

/** A copy of the emulator's names: an import of them would load the emulator for every command. */
const framings: Readonly<Record<FramingName, true>> = {
  sse: true,
  "sse-crlf": true,
  "sse-cr": true,
  "sse-bom": true,
  "sse-comments": true,
  "sse-named": true,
  "sse-multiline": true,
  "sse-done": true,
  "sse-unterminated": true,
  ndjson: true,
  "ndjson-crlf": true,
  array: true,
  concatenated: true,
};

export function addEmulatorFlags(command: Command): Command {
  return command
    .option("--port <number>", "port to listen on; 0 picks a free port", readPort, 4010)
    .option("--host <address>", "IP address to listen on; 0.0.0.0 in a container", "127.0.0.1")
    .option("--allow-host <name...>", "further host names to accept, such as the name of a Compose service")
    .option("--console", "serve the console at / although --host is not loopback, as in a container")
    .option("--no-console", "do not serve the console")
    .option("--on <name>", "response to every request by its name, such as slow:500 or html-502")
    .option("--now <time>", "time at which its clock stands still, such as 2026-11-20T06:00:00Z")
    .option("--pace <ms>", "pause between two events of a stream", readMilliseconds)
    .addOption(new Option("--framing <name>", "framing of streams").choices(Object.keys(framings)))
    .option("--no-strict", "accept a trace_id or token that it never issued")
    .option("--session-lifetime <ms>", "how long a flight search can be quoted and booked", readMilliseconds)
    .addOption(new Option("--failure-status <status>", "HTTP status of refusals").choices(["asCode", "200"]))
    .option("--retry-after <ms>", "header Retry-After, rounded up to seconds", readMilliseconds)
    .option(
      "--path-prefix <area=path...>",
      "path before the operations of verification, ai, flights or an area of your own",
    )
    .option("--webhook-url <url>", "URL to deliver payout notifications to", readUrl)
    .option(
      "--webhook-header <name>",
      `sign them: header with the HMAC-SHA256 of the body; the secret comes from ${secretName}`,
    )
    .option("--webhook-prefix <text>", "text before the signature, such as sha256=")
    .addOption(
      new Option("--webhook-encoding <name>", "encoding of the signature (default: hex)").choices([
        "hex",
        "base64",
        "base64url",
      ]),
    )
    .option("--webhook-retries <ms,...>", "when a delivery is retried, after the first attempt", readDurations)
    .option("--webhook-ack-timeout <ms>", "how long to wait for an acknowledgement", readTimeout)
    .addOption(
      new Option("--webhook-failed <action>", "what follows an acknowledgement FAILED").choices(["retry", "final"]),
    )
    .option("--no-webhook-resign", "deliver again with the headers of the first attempt");
}

/**
 * Returns the options that the flags stand for. `createEmulator` checks their values.
 *
 * @throws ConfigurationError for a prefix that is not `area=path`, or a signature without its secret or header.
 */
export function readEmulatorOptions(flags: EmulatorFlags): Required<Omit<EmulatorOptions, "onRequest">> {
  const { now, pace, framing, strict, sessionLifetime, retryAfter, failureStatus } = flags;
  return {
    ...{ now, pace, framing, strict, sessionLifetime, retryAfter },
    failureStatus: failureStatus === "200" ? 200 : failureStatus,
    pathPrefixes: readPrefixes(flags.pathPrefix ?? []),
    webhook: readWebhook(flags),
  };
}

/** Returns where it listens. The console is served on loopback, and elsewhere only on request. */
export function readListenOptions({ port, host, allowHost, console: wanted }: EmulatorFlags): ListenOptions {
  const console = isLoopbackHost(host) ? wanted !== false : wanted === true && { allowNonLoopbackHost: true };
  return { port, host, allowedHosts: allowHost, console };
}

function readWebhook(flags: EmulatorFlags): Required<WebhookSettings> {
  return {
    to: flags.webhookUrl,
    auth: readSignature(flags),
    retrySchedule: flags.webhookRetries,
    ackTimeout: flags.webhookAckTimeout,
    failedAcknowledgement: flags.webhookFailed,
    resign: flags.webhookResign,
  };
}

/** Reads the secret from the environment, because every user of the machine can see a command line. */
function readSignature({ webhookHeader, webhookPrefix, webhookEncoding }: EmulatorFlags): WebhookCheck | undefined {
  if (webhookHeader === undefined) {
    if (webhookPrefix === undefined && webhookEncoding === undefined) return undefined;
    throw new ConfigurationError("--webhook-prefix and --webhook-encoding need --webhook-header.");
  }
  if (!process.env[secretName]) throw new ConfigurationError(`--webhook-header needs a secret. Set ${secretName}.`);
  return hmac({ header: webhookHeader, prefix: webhookPrefix, encoding: webhookEncoding });
}

function readDurations(text: string): readonly number[] {
  return text === "" ? [] : text.split(",").map((part) => readMilliseconds(part.trim()));
}
