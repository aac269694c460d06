import { createResponse } from "../../../ai/operations.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import { fareQuote } from "../../../flights/operations.ts";
import { type ClientOptions, checkOptions, clientRules } from "../../../options.ts";
import { readEnvironment } from "../../../shared/environment.ts";
import { similarName } from "../../../shared/unknown-names.ts";
import { checkBaseUrl, operationUrl, readCredentials } from "../../../transport/endpoint.ts";
import { findVpas } from "../../../verification/operations.ts";
import { version } from "../../../version.ts";
import { hmac, standardWebhooks } from "../../../webhooks/auth/hmac.ts";
import { journalVariable } from "../../flights/journal.ts";
import { readClientOptions, readDotenv, requiredSettings } from "../../shared/client.ts";
import type { ClientFlags } from "../../shared/command.ts";
import { operations } from "../../shared/errors.ts";
import { type Check, failed, notChecked, ok, warning } from "../report.ts";

/** Names the runtime, and checks settings of it that the service must not meet. The command runs on no older one. */
export function checkRuntime(): readonly Check[] {
  // Bun and Deno also name a version of Node, the one that they imitate.
  const { bun, deno, node }: NodeJS.Dict<string> = process.versions;
  const runtime = ok(
    "runtime",
    `${bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`}, serviceapi ${version}`,
  );
  if (process.env.NODE_TLS_REJECT_UNAUTHORIZED !== "0") return [runtime];
  const problem = "NODE_TLS_REJECT_UNAUTHORIZED=0 disables them: anyone on the way can read the client secret";
  const advice = "Unset it. For a private authority set NODE_EXTRA_CA_CERTS to the file of its certificate.";
  return [runtime, warning("certificate checks", problem, advice)];
}

const webhookSecret = "SERVICEAPI_WEBHOOK_SECRET";
/** The last one is not an option of the client. */
const settings = [
  ...requiredSettings,
  { key: "webhookSecret", name: "webhook secret", flag: undefined, variable: webhookSecret },
] as const;
type Setting = (typeof settings)[number];

/** The checks of the library, which throw its `ConfigurationError`. */
const validators: Readonly<Record<Setting["key"], (options: ClientOptions) => unknown>> = {
  baseUrl(options) {
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

/**
 * Reads the flags, the environment, and the file of `--dotenv`. Returns the options of the client, and the checks where
 * each setting comes from, and that the library would accept it; never a value beside them.
 */
export async function checkSettings(flags: ClientFlags) {
  const before = new Set(Object.keys(process.env));
  const inFile = readDotenv(flags);
  const { baseUrl, clientId, clientSecret, ...others } = await readClientOptions(flags);
  // The content of these has a check of its own, and is not an error of usage.
  const options = { ...checkOptions("doctor", others, clientRules), baseUrl, clientId, clientSecret };
  const checks = settings.map((setting) => {
    const { name, variable, flag, key } = setting;
    if (flag && options[key] !== undefined) return checkSetting(setting, flag, options);
    if (process.env[variable] === undefined) {
      const advice = `Set ${variable} if this machine receives webhooks whose secret comes from there.`;
      return flag ? failed(name, "not set", `Set ${variable}, or pass ${flag}.`) : notChecked(name, "not set", advice);
    }
    if (!before.has(variable)) return checkSetting(setting, `${variable} in the file of --dotenv`, options);
    const check = checkSetting(setting, variable, options);
    if (check.state !== "ok" || !Object.hasOwn(inFile, variable)) return check;
    const advice = "Unset the variable of the environment, if the file is what you mean.";
    return warning(name, `${check.detail}; the one in the file of --dotenv has no effect`, advice);
  });
  return { options, checks: [...checks, ...checkVariables(process.env)] };
}

function checkSetting({ key, name }: Setting, from: string, options: ClientOptions): Check {
  try {
    validators[key](options);
  } catch (error) {
    if (!ConfigurationError.isInstance(error)) throw error;
    // Without the owner in front and without the URL that it would suggest.
    const problem = error.message.replace(/^(?:doctor|hmac|standardWebhooks): |; use http.*$|\.$/g, "");
    return failed(name, `from ${from}: ${problem}`, `Correct ${from}.`);
  }
  const path = key === "baseUrl" ? new URL(checkBaseUrl(baseUrlOf(options), options)).pathname : "";
  // The longest beginning of the path of an operation in which the base URL ends.
  const doubled = operations
    .map((operation) => operation.path.split("/"))
    .flatMap((parts) => parts.map((_, i) => parts.slice(0, parts.length - i).join("/")))
    .find((part) => path.endsWith(`/${part}`));
  if (doubled === undefined) return ok(name, `set, from ${from}`);
  const detail = `set, from ${from}; it ends in "${doubled}", with which the path of a call begins`;
  return warning(name, detail, "Remove that end, unless the service has it two times in its URLs.");
}

export function baseUrlOf({ baseUrl }: ClientOptions): string {
  return baseUrl ?? readEnvironment("SERVICEAPI_BASE_URL") ?? "";
}

/** Names that the library and the command read, and no others with their prefix. */
const knownVariables = [...settings.map(({ variable }) => variable), journalVariable, "SERVICEAPI_LOG"];

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
