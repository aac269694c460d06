import { Console } from "node:console";
import { parseEnv } from "node:util";
import { ConfigurationError } from "../../errors/request.ts";
import type { ClientOptions } from "../../options.ts";
import { ServiceApi } from "../../service-api.ts";
import { readEnvironment } from "../../shared/environment.ts";
import { readCredentials } from "../../transport/endpoint.ts";
import { environmentLevel } from "../../transport/log.ts";
import type { ClientFlags } from "./command.ts";
import { readSecret, readTextFile } from "./input.ts";
import type { DescriptionList } from "./layout.ts";
import { callNotes } from "./notes.ts";
import { commandName, type OutputFlags } from "./print.ts";

/** The settings that a call needs, and where each may come from. */
export const requiredSettings = [
  { key: "baseUrl", name: "base URL", flag: "--base-url", variable: "SERVICEAPI_BASE_URL" },
  { key: "clientId", name: "client ID", flag: "--client-id", variable: "SERVICEAPI_CLIENT_ID" },
  { key: "clientSecret", name: "client secret", flag: "--secret-stdin", variable: "SERVICEAPI_CLIENT_SECRET" },
] as const;

export const environmentHelp: DescriptionList = {
  title: "Environment",
  items: [
    ["SERVICEAPI_BASE_URL", "base URL of the service, https"],
    ["SERVICEAPI_CLIENT_ID", "client ID"],
    ["SERVICEAPI_CLIENT_SECRET", "client secret; never an option, because every user of the machine can see those"],
    ["SERVICEAPI_LOG", "level of the log on standard error: error, warn, info or debug"],
  ],
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
  // Variables that are set already stay as they are. Not `process.loadEnvFile`: it does not say what a folder is.
  for (const [name, value] of Object.entries(readDotenv(flags))) process.env[name] ??= value;
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

export function readDotenv({ dotenv }: ClientFlags): NodeJS.Dict<string> {
  return dotenv === undefined ? {} : parseEnv(readTextFile(dotenv, "--dotenv"));
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
  const names = list.format(missing.map(({ name }) => `the ${name}`));
  const [variables, flags] = [missing.map(({ variable }) => variable), missing.map(({ flag }) => flag)];
  throw new ConfigurationError(
    `${names.replace(/^t/, "T")} ${missing.length === 1 ? "is" : "are"} missing: set ${list.format(variables)}, or pass ` +
      `${list.format(flags)}. ${commandName} doctor shows which settings are set, and where they come from.`,
  );
}
