import { Console } from "node:console";
import { parseEnv } from "node:util";
import { ConfigurationError } from "../../errors/request.ts";
import { book } from "../../flights/operations.ts";
import { type ClientOptions, defaults } from "../../options.ts";
import { ServiceApi } from "../../service-api.ts";
import { readEnvironment } from "../../shared/environment.ts";
import { readCredentials } from "../../transport/endpoint.ts";
import { environmentLevel } from "../../transport/log.ts";
import type { ClientFlags } from "./command.ts";
import { failureText, operations } from "./errors.ts";
import { readSecret, readTextFile } from "./input.ts";
import { formatDuration } from "./layout.ts";
import { commandName, type OutputFlags, printNote } from "./print.ts";

/** The settings that a call needs, and where each may come from. */
export const requiredSettings = [
  { key: "baseUrl", name: "base URL", flag: "--base-url", variable: "SERVICEAPI_BASE_URL" },
  { key: "clientId", name: "client ID", flag: "--client-id", variable: "SERVICEAPI_CLIENT_ID" },
  { key: "clientSecret", name: "client secret", flag: "--secret-stdin", variable: "SERVICEAPI_CLIENT_SECRET" },
] as const;

export const environmentHelp = {
  Environment: {
    SERVICEAPI_BASE_URL: "base URL of the service, https",
    SERVICEAPI_CLIENT_ID: "client ID",
    SERVICEAPI_CLIENT_SECRET: "client secret; never an option, because every user of the machine can see those",
    SERVICEAPI_LOG: "level of the log on standard error: error, warn, info or debug",
  },
};

/** Creates the client of a command. */
export async function createClient(
  flags: ClientFlags & OutputFlags,
  onEvent: ClientOptions["onEvent"] = callNotes(flags),
): Promise<ServiceApi> {
  const options = await readClientOptions(flags);
  requireSettings(options);
  const api = new ServiceApi({ ...options, onEvent });
  // Otherwise the first question of a chat would be the one that fails.
  await readCredentials(options);
  return api;
}

export async function readClientOptions(flags: ClientFlags): Promise<ClientOptions> {
  readDotenv(flags);
  return {
    baseUrl: flags.baseUrl,
    clientId: flags.clientId,
    clientSecret: flags.secretStdin ? await readSecret() : undefined,
    timeout: flags.timeout,
    pathPrefixes: flags.pathPrefix,
    dangerouslyAllowHttp: flags.allowHttp,
    // Standard output is the result of the command.
    log: { logger: new Console(process.stderr), level: environmentLevel() ?? "off" },
  };
}

/**
 * Reads the file of `--dotenv` into the environment, whose own variables stay as they are, and returns what is in it. Not
 * `process.loadEnvFile`: it does not say what a folder is.
 */
export function readDotenv({ dotenv }: Pick<ClientFlags, "dotenv">): NodeJS.Dict<string> {
  const variables = dotenv === undefined ? {} : parseEnv(readTextFile(dotenv, "--dotenv"));
  for (const [name, value] of Object.entries(variables)) process.env[name] ??= value;
  return variables;
}

const list = new Intl.ListFormat("en-GB");

/**
 * Checks that no setting is missing, before a command reads files or asks its first question. The library itself would
 * name one at a time.
 */
function requireSettings(options: ClientOptions): void {
  // A variable that is set to nothing counts as missing.
  const missing = requiredSettings.filter(({ key, variable }) => !(options[key] ?? readEnvironment(variable)));
  if (missing.length === 0) return;
  const names = list.format(missing.map(({ name }) => `the ${name}`)).replace(/^t/, "T");
  const variables = list.format(missing.map(({ variable }) => variable));
  const flags = list.format(missing.map(({ flag }) => flag));
  throw new ConfigurationError(
    `${names} ${missing.length === 1 ? "is" : "are"} missing: set ${variables}, or pass ${flags}. ` +
      `${commandName} doctor shows which settings are set, and where they come from.`,
  );
}

/** Returns the milliseconds that an attempt of an operation may take, unless `--timeout` says otherwise. */
export function attemptTimeout(name: string): number {
  return operations.find((operation) => operation.name === name)?.timeout ?? defaults.timeout;
}

/** Milliseconds after which somebody wonders whether a command still runs. */
const patience = 3_000;

/**
 * Returns a listener that says why a person has to wait, and how long; none for a program, which reads JSON. A terminal,
 * with somebody who wonders, also gets one note for the latest request without a response.
 */
export function callNotes({ json, events, timeout }: ClientFlags & OutputFlags): ClientOptions["onEvent"] {
  if (json || events) return undefined;
  let timer: NodeJS.Timeout | undefined;
  let endsBy = 0;
  return (event) => {
    clearTimeout(timer);
    if (event.type === "retry") {
      printNote(`${failureText(event.reason)}. Trying again in ${formatDuration(event.delay)}.`);
    }
    if (event.type !== "request" || !process.stderr.isTTY) return;
    const { attempt, operation } = event;
    if (attempt === 1) endsBy = performance.now() + defaults.totalTimeout;
    const limit = Math.min(timeout ?? attemptTimeout(operation), endsBy - performance.now());
    if (limit <= patience) return;
    const time = formatDuration(limit - patience);
    const note =
      operation === book.name
        ? `The booking has no response yet. Waiting for up to ${time} more. Let it finish: after Ctrl-C the flight may be ` +
          "booked all the same, and the journal keeps the booking as open until you have looked it up."
        : // It may be retried.
          `No response yet. This attempt waits for up to ${time} more.`;
    timer = setTimeout(() => printNote(note), patience);
  };
}
