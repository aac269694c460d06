import { type ClientOptions, checkOptions, clientRules } from "../../../options.ts";
import { type ClientFlags, readClientOptions, readEnvironment } from "../../shared/client.ts";
import { requiredSettings } from "../../shared/required-settings.ts";

/** A setting of the client or of its webhooks, and where it may come from. */
interface SettingPlace {
  readonly name: string;
  readonly flag?: { readonly long: string; readonly key: keyof ClientFlags };
  readonly variable?: string;
}

/** The settings that the command line and the environment know. */
export const places = {
  ...requiredSettings,
  webhookSecret: { name: "webhook secret", variable: "SERVICEAPI_WEBHOOK_SECRET" },
  timeout: { name: "timeout", flag: { long: "--timeout", key: "timeout" } },
  pathPrefixes: { name: "path prefixes", flag: { long: "--path-prefix", key: "pathPrefix" } },
  allowHttp: { name: "hosts without TLS", flag: { long: "--allow-http", key: "allowHttp" } },
} as const satisfies Readonly<Record<string, SettingPlace>>;

/** The name of a setting. */
export type SettingName = keyof typeof places;

/** The origin of a setting. */
export interface Source {
  /** The flag, the variable, or the variable in the file of `--dotenv`. */
  readonly from: string;
  /** Whether the file sets the variable too, and the environment won. */
  readonly hidesFile: boolean;
}

/** The settings of this run: the options of the client, and where each comes from; never a value beside them. */
export interface Settings {
  readonly options: ClientOptions;
  readonly sources: Readonly<Partial<Record<SettingName, Source>>>;
}

/**
 * Reads the flags, the environment, and the file of `--dotenv`.
 *
 * @throws ConfigurationError for a file that cannot be read, an empty standard input, or a flag that no client takes.
 */
export async function readSettings(flags: ClientFlags): Promise<Settings> {
  const before = new Set(Object.keys(process.env));
  const { baseUrl, clientId, clientSecret, ...options } = await readClientOptions(flags);
  // The content of these has a check of its own, and is not an error of usage.
  const checked = checkOptions("doctor", options, clientRules);
  const inFile = flags.dotenv === undefined ? {} : readEnvironment(flags.dotenv);
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
  if (flag !== undefined && flags[flag.key] !== undefined) return { from: flag.long, hidesFile: false };
  if (variable === undefined || process.env[variable] === undefined) return undefined;
  const isInFile = Object.hasOwn(inFile, variable);
  if (before.has(variable)) return { from: variable, hidesFile: isInFile };
  return { from: `${variable} in the file of --dotenv`, hidesFile: false };
}
