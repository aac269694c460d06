import { createResponse } from "../../../ai/operations.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import { fareQuote } from "../../../flights/operations.ts";
import { type ClientOptions, checkOptions, clientRules } from "../../../options.ts";
import { readEnvironment } from "../../../shared/environment.ts";
import { similarName } from "../../../shared/unknown-names.ts";
import { checkBaseUrl, operationUrl, readCredentials } from "../../../transport/endpoint.ts";
import { findVpas } from "../../../verification/operations.ts";
import { hmac, standardWebhooks } from "../../../webhooks/auth/hmac.ts";
import { journalVariable } from "../../flights/journal.ts";
import { readClientOptions, readDotenv, requiredSettings } from "../../shared/client.ts";
import { operations } from "../../shared/notes.ts";
import { type ClientFlags, clientOptions } from "../../shared/options.ts";
import { type Check, failed, notChecked, ok, warning } from "./check.ts";

/** A setting of the client or of its webhooks, and where it may come from. */
interface SettingPlace {
  readonly name: string;
  readonly flag?: string;
  readonly variable?: string;
}

const webhookSecret = "SERVICEAPI_WEBHOOK_SECRET";

/** The settings that the command line and the environment know. */
const places = {
  ...requiredSettings,
  webhookSecret: { name: "webhook secret", variable: webhookSecret },
  timeout: { name: "timeout", flag: "--timeout" },
  pathPrefixes: { name: "path prefixes", flag: "--path-prefix" },
  allowHttp: { name: "hosts without TLS", flag: "--allow-http" },
} satisfies Readonly<Record<string, SettingPlace>>;

type SettingName = keyof typeof places;

interface Source {
  /** The flag, the variable, or the variable in the file of `--dotenv`. */
  readonly from: string;
  /** Whether the file sets the variable too, and the environment won. */
  readonly hidesFile: boolean;
}

/** The settings of this run: the options of the client, and where each comes from; never a value beside them. */
interface Settings {
  readonly options: ClientOptions;
  readonly sources: Readonly<Partial<Record<SettingName, Source>>>;
}

/** Reads the flags, the environment, and the file of `--dotenv`. */
export async function readSettings(flags: ClientFlags): Promise<Settings> {
  const before = new Set(Object.keys(process.env));
  const { baseUrl, clientId, clientSecret, ...options } = await readClientOptions(flags);
  // The content of these has a check of its own, and is not an error of usage.
  const checked = checkOptions("doctor", options, clientRules);
  const inFile = readDotenv(flags);
  const sources = Object.entries(places).flatMap(([name, place]) => {
    const source = sourceOf(place, flags, before, inFile);
    return source === undefined ? [] : [[name, source] as const];
  });
  return { options: { ...checked, baseUrl, clientId, clientSecret }, sources: Object.fromEntries(sources) };
}

function sourceOf(
  { flag, variable }: SettingPlace,
  flags: ClientFlags,
  before: ReadonlySet<string>,
  inFile: NodeJS.Dict<string>,
): Source | undefined {
  const key = clientOptions.find(({ long }) => long === flag)?.attributeName() as keyof ClientFlags | undefined;
  if (flag !== undefined && key !== undefined && flags[key] !== undefined) return { from: flag, hidesFile: false };
  if (variable === undefined || process.env[variable] === undefined) return undefined;
  if (before.has(variable)) return { from: variable, hidesFile: Object.hasOwn(inFile, variable) };
  return { from: `${variable} in the file of --dotenv`, hidesFile: false };
}

/** Checks where each setting comes from, and that the library would accept it. */
export function checkSettings({ options, sources }: Settings): readonly Check[] {
  const names = Object.keys(places) as SettingName[];
  return [...names.flatMap((name) => checkSetting(name, sources[name], options)), ...checkVariables(process.env)];
}

/** The checks of the library; each throws its `ConfigurationError`. */
const validators: Partial<Record<SettingName, (options: ClientOptions) => unknown>> = {
  baseUrl: (options) => {
    const url = checkBaseUrl(baseUrlOf(options), options);
    for (const { area, path } of [findVpas, createResponse, fareQuote]) operationUrl(url, area, path, options);
  },
  clientId: ({ clientId }) => checkCredentials({ clientId, clientSecret: "unused" }),
  clientSecret: ({ clientSecret }) => checkCredentials({ clientId: "unused", clientSecret }),
  webhookSecret: () =>
    /^whsec_/.test(readEnvironment(webhookSecret) ?? "") ? standardWebhooks({}) : hmac({ header: "x-signature" }),
};

function checkCredentials(given: ClientOptions): void {
  readCredentials(checkOptions("doctor", given, clientRules));
}

function checkSetting(name: SettingName, source: Source | undefined, options: ClientOptions): readonly Check[] {
  const place: SettingPlace = places[name];
  if (source === undefined) return [missing(place)];
  const { from } = source;
  const problem = complaintOf(() => validators[name]?.(options));
  if (problem !== undefined) return [failed(place.name, `from ${from}: ${problem}`, `Correct ${from}.`)];
  const doubled = name === "baseUrl" ? doubledPathOf(checkBaseUrl(baseUrlOf(options), options)) : undefined;
  if (doubled !== undefined) {
    const detail = `set, from ${from}; it ends in "${doubled}", with which the path of a call begins`;
    return [warning(place.name, detail, "Remove that end, unless the service has it two times in its URLs.")];
  }
  if (!source.hidesFile) return [ok(place.name, `set, from ${from}`)];
  const advice = "Unset the variable of the environment, if the file is what you mean.";
  return [warning(place.name, `set, from ${from}; the one in the file of --dotenv has no effect`, advice)];
}

/** Returns the longest beginning of the path of an operation in which a base URL ends. */
function doubledPathOf(baseUrl: string): string | undefined {
  const { pathname } = new URL(baseUrl);
  return operations
    .map(({ path }) => path.split("/"))
    .flatMap((parts) => parts.map((_, i) => parts.slice(0, parts.length - i).join("/")))
    .find((part) => pathname.endsWith(`/${part}`));
}

function missing({ name, flag, variable }: SettingPlace): Check {
  if (variable === undefined) return ok(name, "not set: the default applies");
  if (flag !== undefined) return failed(name, "not set", `Set ${variable}, or pass ${flag}.`);
  return notChecked(
    name,
    "not set",
    `Set ${variable} if this machine receives webhooks whose secret comes from there.`,
  );
}

/** Returns the library's complaint, without the owner in front and without the URL that it would suggest. */
function complaintOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    return error.message
      .replace(/^(?:doctor|hmac|standardWebhooks): /, "")
      .replace(/; use http.*$/, "")
      .replace(/\.$/, "");
  }
}

/** Returns the base URL of the options or the environment; an empty string if there is none. */
export function baseUrlOf({ baseUrl }: ClientOptions): string {
  return baseUrl ?? readEnvironment(places.baseUrl.variable) ?? "";
}

/** Names that the library and the command read, and no others with their prefix. */
const knownVariables = [
  ...Object.values<SettingPlace>(places).flatMap(({ variable = [] }) => variable),
  journalVariable,
  "SERVICEAPI_LOG",
];

/** A misspelt variable has no effect, and nothing else says so. */
function checkVariables(environment: NodeJS.ProcessEnv): readonly Check[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("SERVICEAPI_") && !knownVariables.includes(name),
  );
  return unknown.map((name) => {
    const meant = similarName(name, knownVariables);
    const advice = meant === undefined ? "Unset it, if nothing else reads it." : `Did you mean ${meant}?`;
    return warning("environment", `${name} is set, and nothing here reads it`, advice);
  });
}
