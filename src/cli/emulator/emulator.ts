import { once } from "node:events";
import { styleText } from "node:util";
import type { Command } from "commander";
import {
  createEmulator,
  type Emulator,
  type EmulatorServer,
  type ListenOptions,
  type RequestLine,
} from "../../emulator/emulator.ts";
import { formatTables } from "../shared/format-table.ts";
import { addEmulatorFlags, type EmulatorFlags, readEmulatorOptions, readListenOptions } from "./flags.ts";
import { testValues } from "./test-values.ts";

/** `serviceapi emulator`: the service of the interface document on this machine, until Ctrl-C. */
export function registerEmulatorCommand(program: Command): void {
  const command = program
    .command("emulator")
    .description("serve the emulator on this machine; it accepts any credentials");
  addEmulatorFlags(command).action(runEmulator);
}

async function runEmulator(flags: EmulatorFlags, command: Command): Promise<void> {
  try {
    const emulator = createEmulator({
      ...readEmulatorOptions(flags),
      onRequest: (line) => print(requestLine(line)),
    });
    const where = readListenOptions(flags);
    const server = await emulator.listen(where);
    print(welcome(emulator, server, where));
    await interrupted();
    await server.close();
    emulator.reset();
  } catch (error) {
    command.error(`error: ${explain(error, flags)}`);
  }
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

/** Returns the URL, credentials, a flight search, the test values, and the environment variables to paste. */
function welcome(emulator: Emulator, { url }: EmulatorServer, { console }: ListenOptions): string {
  const { trace_id, token } = emulator.seedSearch();
  const sections = formatTables([
    {
      title: "URL and credentials",
      rows: [
        ["baseUrl", url],
        ["clientId", "demo-client (any other works too)"],
        ["clientSecret", "demo-secret (any other works too)"],
        ["console", console ? `${url}/ (open it in a browser)` : "not served; --console serves it"],
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
