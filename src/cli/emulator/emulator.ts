import { once } from "node:events";
import { styleText } from "node:util";
import { type Command, InvalidArgumentError } from "commander";
import { createEmulator, type Emulator, type EmulatorServer, type RequestLine } from "../../emulator/emulator.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { hmac } from "../../webhooks/auth/hmac.ts";
import { formatSections } from "../format-table.ts";
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
    .description("serve the emulator on this machine: any credentials, no network, nothing real")
    .option("--port <number>", "port to listen on; 0 for a spare one", readPort, 4010)
    .option("--host <address>", "address to listen on; 0.0.0.0 in a container", "127.0.0.1")
    .option("--allow-host <name...>", "another host name for it, such as that of a Compose service")
    .option("--scenario <name>", "a scenario for every request, such as slow:500 or html-502")
    .option("--webhook-url <url>", "where payout notifications are delivered", readUrl)
    .option(
      "--webhook-header <name>",
      `sign them: header of the hex HMAC SHA-256 of the body; secret from ${secretName}`,
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

/** The secret comes from the environment: a command line is seen by every user of the machine. */
function signature(header: string | undefined): WebhookCheck | undefined {
  if (header === undefined) return undefined;
  const secret = process.env[secretName];
  if (!secret) throw new ConfigurationError(`--webhook-header needs a secret: set ${secretName}`);
  return hmac({ header, secrets: [secret] });
}

/** Ctrl-C, or a container that is stopped. */
async function interrupted(): Promise<void> {
  const stop = new AbortController();
  await Promise.race(["SIGINT", "SIGTERM"].map((name) => once(process, name, { signal: stop.signal })));
  stop.abort();
}

function explain(error: unknown, { port, host }: EmulatorFlags): string {
  const { code, message } = Object(error);
  if (code === "EADDRINUSE") return `port ${port} is in use; choose another with --port, or 0 for a spare one`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `${host} is no address of this machine (--host)`;
  return message;
}

function readPort(text: string): number {
  const port = Number(text);
  if (text.trim() !== "" && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new InvalidArgumentError("It is a whole number from 0 to 65535.");
}

function readUrl(text: string): string {
  if (/^https?:/.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It is an address such as http://127.0.0.1:3000/hook.");
}

/** The address, credentials, a search to begin with, the magic values, and all that a program reads, to paste. */
function welcome(emulator: Emulator, { url }: EmulatorServer): string {
  const { trace_id, token } = emulator.seedSearch();
  const sections = formatSections([
    {
      title: "Address and credentials",
      rows: [
        ["baseUrl", url],
        ["clientId", "demo-client (any will do)"],
        ["clientSecret", "demo-secret (any will do)"],
      ],
    },
    {
      title: "A flight search, good for 15 minutes",
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
    `${styleText("bold", "All of it for another terminal")}\n${variables}`,
    `${styleText("green", `Listening on ${url}`)}  Ctrl-C stops it.`,
  ].join("\n\n");
}

/** In quotes where a shell would read a character of the value as its own. */
function exportLine(variables: Readonly<Record<string, string>>): string {
  const assignments = Object.entries(variables).map(([name, value]) =>
    /^[\w.:/-]+$/.test(value) ? `${name}=${value}` : `${name}='${value}'`,
  );
  return `export ${assignments.join(" ")}`;
}

/** One line a request: never a header, a body or a query, and of a path that is no operation's no long number. */
function requestLine({ method, operation, status, duration }: RequestLine): string {
  const colour = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  const name = operation.replaceAll(/\d{4,}/g, "…");
  return `${method} ${name} ${styleText(colour, `${status ?? "dropped"}`)} ${duration} ms`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
