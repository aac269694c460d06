import { createResponse } from "../../../ai/operations.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import { fareQuote } from "../../../flights/operations.ts";
import { type ClientOptions, checkOptions, clientRules } from "../../../options.ts";
import { readEnvironment } from "../../../shared/environment.ts";
import { similarName } from "../../../shared/unknown-names.ts";
import { checkBaseUrl, operationUrl, readCredentials } from "../../../transport/endpoint.ts";
import { findVpas } from "../../../verification/operations.ts";
import { hmac } from "../../../webhooks/auth/hmac.ts";
import { standardWebhooks } from "../../../webhooks/auth/standard-webhooks.ts";
import { journalVariable } from "../../flights/journal.ts";
import { operations } from "../../shared/operations.ts";
import { type Check, failed, notChecked, ok, warning } from "./check.ts";
import { places, type SettingName, type Settings, type Source } from "./settings.ts";

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
    /^whsec_/.test(readEnvironment(places.webhookSecret.variable) ?? "")
      ? standardWebhooks({})
      : hmac({ header: "x-signature" }),
};

function checkCredentials(given: ClientOptions): void {
  readCredentials(checkOptions("doctor", given, clientRules));
}

function checkSetting(name: SettingName, source: Source | undefined, options: ClientOptions): readonly Check[] {
  const place = places[name];
  if (source === undefined) return [missing(name)];
  const problem = complaintOf(() => validators[name]?.(options));
  if (problem !== undefined) return [failed(place.name, `from ${source.from}: ${problem}`, `Correct ${source.from}.`)];
  const doubled = name === "baseUrl" ? doubledPathOf(checkBaseUrl(baseUrlOf(options), options)) : undefined;
  if (doubled !== undefined) {
    const detail = `set, from ${source.from}; it ends in "${doubled}", with which the path of a call begins`;
    return [warning(place.name, detail, "Remove that end, unless the service has it two times in its URLs.")];
  }
  if (!source.hidesFile) return [ok(place.name, `set, from ${source.from}`)];
  const advice = "Unset the variable of the environment, if the file is what you mean.";
  return [warning(place.name, `set, from ${source.from}; the one in the file of --dotenv has no effect`, advice)];
}

/**
 * Returns the longest beginning of the path of an operation in which a base URL ends.
 *
 * @param baseUrl - Without a slash at its end.
 */
function doubledPathOf(baseUrl: string): string | undefined {
  const { pathname } = new URL(baseUrl);
  return operations
    .map(({ path }) => path.split("/"))
    .flatMap((parts) => parts.map((_, i) => parts.slice(0, parts.length - i).join("/")))
    .find((part) => pathname.endsWith(`/${part}`));
}

function missing(name: SettingName): Check {
  if (name === "webhookSecret") {
    const advice = "Set SERVICEAPI_WEBHOOK_SECRET if this machine receives webhooks whose secret comes from there.";
    return notChecked(places.webhookSecret.name, "not set", advice);
  }
  const place = places[name];
  if (!("variable" in place)) return ok(place.name, "not set: the default applies");
  return failed(place.name, "not set", `Set ${place.variable}, or pass ${place.flag.long}.`);
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
  ...Object.values(places).flatMap((place) => ("variable" in place ? [place.variable] : [])),
  journalVariable,
  "SERVICEAPI_LOG",
];

/** A misspelt variable has no effect, and nothing else says so. */
function checkVariables(environment: NodeJS.ProcessEnv): readonly Check[] {
  const unknown = Object.keys(environment).filter(
    (name) => name.startsWith("SERVICEAPI_") && !knownVariables.some((known) => known === name),
  );
  return unknown.map((name) => {
    const meant = similarName(name, knownVariables);
    const advice = meant === undefined ? "Unset it, if nothing else reads it." : `Did you mean ${meant}?`;
    return warning("environment", `${name} is set, and nothing here reads it`, advice);
  });
}
