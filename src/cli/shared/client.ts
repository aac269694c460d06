import { Console } from "node:console";
import { parseEnv } from "node:util";
import type { Command } from "commander";
import type { ClientOptions } from "../../options.ts";
import { ServiceApi } from "../../service-api.ts";
import { environmentLevel } from "../../transport/log.ts";
import type { DescriptionList } from "./description-list.ts";
import { readPrefixes, readTimeout, refuseCredentials } from "./read-flags.ts";
import { readSecret, readTextFile } from "./read-input.ts";
import { requireSettings } from "./required-settings.ts";

/** The flags that configure the client. What they leave out comes from the environment. */
export interface ClientFlags {
  readonly baseUrl?: string;
  readonly clientId?: string;
  readonly secretStdin?: boolean;
  readonly dotenv?: string;
  readonly timeout?: number;
  readonly pathPrefix?: readonly string[];
  readonly allowHttp?: readonly string[];
}

/** Adds the flags of {@link ClientFlags}. */
export function addClientFlags(command: Command): Command {
  return command
    .option("--base-url <url>", "base URL of the service (default: SERVICEAPI_BASE_URL)", refuseCredentials)
    .option("--client-id <id>", "client ID (default: SERVICEAPI_CLIENT_ID)")
    .option("--secret-stdin", "read the client secret from standard input instead of SERVICEAPI_CLIENT_SECRET")
    .option("--dotenv <file>", "read environment variables from a file first, such as .env")
    .option("--timeout <ms>", "timeout for a single attempt", readTimeout)
    .option("--path-prefix <area=path...>", "path before the operations of verification, ai or flights")
    .option("--allow-http <host...>", "hosts beside this machine that may be called without TLS");
}

/** The environment variables, for the end of a help text. */
export const environmentHelp: DescriptionList = {
  title: "Environment",
  items: [
    ["SERVICEAPI_BASE_URL", "base URL of the service, https"],
    ["SERVICEAPI_CLIENT_ID", "client ID"],
    ["SERVICEAPI_CLIENT_SECRET", "client secret; never an option, because every user of the machine can see those"],
    ["SERVICEAPI_LOG", "level of the log on standard error: error, warn, info or debug"],
  ],
};

/**
 * Creates the client of a command.
 *
 * @param onEvent - See {@link ClientOptions}.
 * @throws ConfigurationError for a missing or invalid option, or a file that cannot be read.
 */
export async function createClient(flags: ClientFlags, onEvent?: ClientOptions["onEvent"]): Promise<ServiceApi> {
  const options = await readClientOptions(flags);
  requireSettings(options);
  return new ServiceApi({ ...options, onEvent });
}

/** Returns the options that the flags stand for. One that is missing may be in the environment. */
export async function readClientOptions(flags: ClientFlags): Promise<ClientOptions> {
  if (flags.dotenv !== undefined) loadEnvironment(flags.dotenv);
  return {
    baseUrl: flags.baseUrl,
    clientId: flags.clientId,
    clientSecret: flags.secretStdin ? await readSecret() : undefined,
    timeout: flags.timeout,
    pathPrefixes: readPrefixes(flags.pathPrefix ?? []),
    dangerouslyAllowHttp: flags.allowHttp,
    // Standard output is the result of the command.
    log: { logger: new Console(process.stderr), level: environmentLevel() ?? "off" },
  };
}

/** Returns the variables in the file of `--dotenv`. */
export function readEnvironment(file: string): NodeJS.Dict<string> {
  return parseEnv(readTextFile(file, "--dotenv"));
}

/** Variables that are set already stay as they are. Not `process.loadEnvFile`: it does not say what a folder is. */
function loadEnvironment(file: string): void {
  for (const [name, value] of Object.entries(readEnvironment(file))) process.env[name] ??= value;
}
