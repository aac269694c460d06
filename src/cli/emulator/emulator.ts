import { styleText } from "node:util";
import type { Command } from "commander";
import type { ListenOptions } from "../../emulator/emulator.ts";
import type { RequestLine } from "../../emulator/options.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import { action } from "../shared/action.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { formatLists, wrapLists } from "../shared/description-list.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { interrupted } from "../shared/interrupt.ts";
import { addJsonFlag } from "../shared/output-flags.ts";
import { print, printJsonLine } from "../shared/print.ts";
import { quote } from "../shared/shell.ts";
import { addEmulatorFlags, type EmulatorFlags, readEmulatorOptions, readListenOptions } from "./flags.ts";
import { testValues } from "./test-values.ts";

const examples = `
  $ npx serviceapi emulator --port 4010
  $ npx serviceapi emulator --on slow:800 --pace 100
  $ npx serviceapi emulator --webhook-url http://127.0.0.1:3000/hook
  $ npx serviceapi emulator --port 0 --json
`;

/** `serviceapi emulator`: the service of the interface document on this machine, until Ctrl-C. */
export function registerEmulatorCommand(program: Command): void {
  const command = program
    .command("emulator")
    .description("serve the emulator on this machine; it accepts any credentials");
  addJsonFlag(addEmulatorFlags(command), "print the start, and then each request, as a line of JSON")
    .addHelpText("after", helpText(examples))
    .action(action(run, { jsonLines: true }));
}

async function run(flags: EmulatorFlags): Promise<ExitCode> {
  const { createEmulator } = await import("../../emulator/emulator.ts");
  const emulator = createEmulator({
    ...readEmulatorOptions(flags),
    onRequest: (line) => (flags.json ? printJsonLine(jsonOf(line)) : print(requestLine(line))),
  });
  // `on` refuses an unknown name.
  if (flags.on !== undefined) emulator.on("*", flags.on as "unavailable");
  const where = readListenOptions(flags);
  const server = await emulator.listen(where).catch((error: unknown) => {
    throw explain(error, flags);
  });
  const start: Start = { url: server.url, ...emulator.seedSearch() };
  if (flags.json) printJsonLine({ listening: start });
  else print(welcome(start, where, flags));
  await interrupted();
  await server.close();
  emulator.reset();
  return exitCodes.done;
}

/** Returns the error of `listen` as one of the command line. */
function explain(error: unknown, { port, host }: EmulatorFlags): unknown {
  const { code } = Object(error);
  if (code === "EADDRINUSE") {
    return new ConfigurationError(`Port ${port} is in use. Choose another with --port, or 0 to pick a free port.`);
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new ConfigurationError(`${host} is not an address of this machine. Pass another with --host.`);
  }
  return error;
}

/** The URL, and a flight search. */
interface Start {
  readonly url: string;
  readonly trace_id: string;
  readonly token: string;
}

/** Returns the URL, credentials, a flight search, the test values, and the environment variables to paste. */
function welcome({ url, trace_id, token }: Start, { console }: ListenOptions, flags: EmulatorFlags): string {
  const sections = formatLists([
    {
      title: "URL and credentials",
      items: [
        ["baseUrl", url],
        ["clientId", "demo-client (any other works too)"],
        ["clientSecret", "demo-secret (any other works too)"],
        ["console", console ? `${url}/ (open it in a browser)` : "not served; --console serves it"],
      ],
    },
    {
      title: "A flight search, valid for 15 minutes",
      items: [
        ["trace_id", trace_id],
        ["token", token],
        ["another", `curl --json '{}' ${url}/__emulator/searches`],
      ],
    },
    ...wrapLists(testValues),
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
    ...(isLoopbackHost(flags.host) ? [] : [styleText("yellow", exposure(flags))]),
    `${styleText("green", `Listening on ${url}`)}  Press Ctrl-C to stop.`,
  ].join("\n\n");
}

/** Returns a warning for a port that other machines can reach. */
function exposure({ host, webhookHeader }: EmulatorFlags): string {
  const signing = webhookHeader === undefined ? "" : ", and have it sign notifications: use a secret of tests alone";
  return `--host ${host}: whoever can reach this port can read the last requests in full${signing}.`;
}

function exportLine(variables: Readonly<Record<string, string>>): string {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${quote(value)}`);
  return `export ${assignments.join(" ")}`;
}

/** Returns one line for a request, without headers, body and query. */
function requestLine({ method, operation, status, duration }: RequestLine): string {
  const colour = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
  return `${method} ${nameOf(operation)} ${styleText(colour, `${status ?? "dropped"}`)} ${duration} ms`;
}

/** Returns the same as JSON; the status of a dropped connection is null. */
function jsonOf({ method, operation, status, duration }: RequestLine): object {
  return { method, operation: nameOf(operation), status: status ?? null, duration };
}

/** A path that is not an operation's is whatever the client sent: a long number in it may be a mobile number. */
function nameOf(operation: string): string {
  return cleanLine(operation.replaceAll(/\d{4,}/g, "…"));
}
