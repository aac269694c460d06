import { ConfigurationError } from "../../errors/request.ts";
import type { ClientOptions } from "../../options.ts";
import { readEnvironment } from "../../shared/environment.ts";
import { commandName } from "./shell.ts";

/** The settings that a call needs, and where each may come from. */
export const requiredSettings = {
  baseUrl: { name: "base URL", flag: { long: "--base-url", key: "baseUrl" }, variable: "SERVICEAPI_BASE_URL" },
  clientId: { name: "client ID", flag: { long: "--client-id", key: "clientId" }, variable: "SERVICEAPI_CLIENT_ID" },
  clientSecret: {
    name: "client secret",
    flag: { long: "--secret-stdin", key: "secretStdin" },
    variable: "SERVICEAPI_CLIENT_SECRET",
  },
} as const;

const list = new Intl.ListFormat("en-GB");

/**
 * Checks that no setting is missing, before a command reads files or asks its first question. The library itself would
 * name one at a time.
 *
 * @throws ConfigurationError that names all that are missing.
 */
export function requireSettings(options: ClientOptions): void {
  const keys = Object.keys(requiredSettings) as (keyof typeof requiredSettings)[];
  // A variable that is set to nothing counts as missing.
  const isMissing = (key: (typeof keys)[number]) => !(options[key] ?? readEnvironment(requiredSettings[key].variable));
  const missing = keys.filter(isMissing).map((key) => requiredSettings[key]);
  if (missing.length === 0) return;
  const names = list.format(missing.map(({ name }) => `the ${name}`));
  const [variables, flags] = [missing.map(({ variable }) => variable), missing.map(({ flag }) => flag.long)];
  throw new ConfigurationError(
    `${names.replace(/^t/, "T")} ${missing.length === 1 ? "is" : "are"} missing: set ${list.format(variables)}, or pass ` +
      `${list.format(flags)}. ${commandName} doctor shows which settings are set, and where they come from.`,
  );
}
