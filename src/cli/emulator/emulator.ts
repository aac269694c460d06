import { once } from "node:events";
import { styleText } from "node:util";
import { type Command, InvalidArgumentError } from "commander";
import { createEmulator, type Emulator, type EmulatorServer, type RequestLine } from "../../emulator/emulator.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { hmac } from "../../webhooks/auth/hmac.ts";
import { formatTables } from "../format-table.ts";
import { testValues } from "./test-values.ts";

interface EmulatorFlags {
  readonly port: number;
  readonly host: string;
  readonly allowHost?: readonly string[];
  readonly scenario?: string;
  readonly webhookUrl?: string;
  readonly webhookHeader?: string;
}

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

/** `serviceapi emulator`: the service of the interface document on this machine, until Ctrl-C. */
export function registerEmulatorCommand(program: Command): void {
  program
    .command("emulator")
    .description("serve the emulator on this machine; it accepts any credentials")
    .option("--port <number>", "port to listen on; 0 picks a free port", readPort, 4010)
    .option("--host <address>", "IP address to listen on; 0.0.0.0 in a container", "127.0.0.1")
    .option("--allow-host <name...>", "further host names to accept, such as that of a Compose service")
    .option("--scenario <name>", "scenario for every request, such as slow:500 or html-502")
    .option("--webhook-url <url>", "URL to deliver payout notifications to", readUrl)
    .option(
      "--webhook-header <name>",
      `sign them: header with the hex HMAC-SHA256 of the body; the secret comes from ${secretName}`,
    )
    .action(runEmulator);
}

async function runEmulator(flags: EmulatorFlags, command: Command): Promise<void> {
  try {
    const emulator = createEmulator({
      scenario: flags.scenario,
      webhook: { to: flags.webhookUrl, auth: signature(flags.webhookHeader) },
      onRequest: (line) => print(requestLine(line)),
    });
    const server = await emulator.listen({ port: flags.port, host: flags.host, allowedHosts: flags.allowHost });
    print(welcome(emulator, server));
    await interrupted();
    await server.close();
    emulator.reset();
  } catch (error) {
    command.error(`error: ${explain(error, flags)}`);
  }
}

/** Reads the secret from the environment, because every user of the machine can see a command line. */
function signature(header: string | undefined): WebhookCheck | undefined {
  if (header === undefined) return undefined;
  if (!process.env[secretName]) throw new ConfigurationError(`--webhook-header needs a secret. Set ${secretName}.`);
  return hmac({ header });
}

/** Resolves on Ctrl-C, or when a container is stopped. */
async function interrupted(): Promise<void> {
  const stop = new AbortController();
  await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
}

function explain(error: unknown, { port, host }: EmulatorFlags): string {
  const { code, message } = Object(error);
  if (code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 to pick a free port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return `${host} is not an address of this machine; pass another with --host`;
  return message;
}

function readPort(text: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be an integer between 0 and 65535.");
}

function readUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL such as http://127.0.0.1:3000/hook.");
}

/** Returns the URL, credentials, a flight search, the test values, and the environment variables to paste. */
function welcome(emulator: Emulator, { url }: EmulatorServer): string {
  const { trace_id, token } = emulator.seedSearch();
  const sections = formatTables([
    {
      title: "URL and credentials",
      rows: [
        ["baseUrl", url],
        ["clientId", "demo-client (any other works too)"],
        ["clientSecret", "demo-secret (any other works too)"],
      ],
    },
    {
      title: "A flight search, valid for 15 minutes",
      rows: [
        ["trace_id", trace_id],
        ["token", token],
        ["another", `curl --json '{}' ${url}/__emulator/searches`],
      ],
    },
    ...testValues,
  ]);
  const variables = exportLine({
    SERVICEAPI_BASE_URL: url,
    SERVICEAPI_CLIENT_ID: "demo-client",
    SERVICEAPI_CLIENT_SECRET: "demo-secret",
    TRACE_ID: trace_id,
    TOKEN: token,
  });
  return [
    sections,
    `${styleText("bold", "Environment variables for another terminal")}\n${variables}`,
    `${styleText("green", `Listening on ${url}`)}  Press Ctrl-C to stop.`,
  ].join("\n\n");
}

/** Quotes values with characters that a shell would interpret. */
function exportLine(variables: Readonly<Record<string, string>>): string {
  const assignments = Object.entries(variables).map(([name, value]) =>
    /^[\w.:/-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`,
  );
  return `export ${assignments.join(" ")}`;
}

/** Returns one line for a request, without headers, body and query, and without long numbers in an unknown path. */
function requestLine({ method, operation, status, duration }: RequestLine): string {
  const colour = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const name = operation.replaceAll(/\d{4,}/g, "…");
  return `${method} ${name} ${styleText(colour, `${status ?? "dropped"}`)} ${duration} ms`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
