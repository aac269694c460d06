import type { RelayOptions, RelayResponseOptions } from "./ai/relay.ts";
import { ConfigurationError } from "./errors/request.ts";
import { refuseUnknownNames } from "./errors/unknown-names.ts";
import type { ClientOptions, RequestOptions, StreamOptions } from "./options.ts";

/** Refuses what an option cannot be. */
type Rule = (value: unknown, name: string) => void;
type Rules<Options> = Readonly<Record<keyof Options, Rule>>;

const durations = { timeout: durationFrom(0), totalTimeout: durationFrom(0) };
const streamDurations = {
  idleTimeout: durationFrom(0),
  eventTimeout: durationFrom(0),
  streamTimeout: durationFrom(0),
  reorderTimeout: durationFrom(0),
};
const requestRules: Rules<RequestOptions> = {
  signal: checkSignal,
  ...durations,
  maxRetries: checkCount,
  headers: checkHeaders,
  validation: checkValidation,
  extraBody: checkExtraBody,
};
const streamRules: Rules<StreamOptions> = { ...requestRules, ...streamDurations, maxEventBytes: checkCount };
const clientRules: Rules<ClientOptions> = {
  // These four are checked where they are read: a function or the environment may give them later.
  baseUrl: acceptAny,
  clientId: acceptAny,
  clientSecret: acceptAny,
  webhooks: acceptAny,
  ...durations,
  maxRetries: checkCount,
  retryDelay: checkFunction,
  maxRetryAfter: checkCount,
  ...streamDurations,
  maxResponseBytes: checkCount,
  maxEventBytes: checkCount,
  fetch: checkFunction,
  headers: checkHeaders,
  userAgent: checkUserAgent,
  pathPrefixes: checkPathPrefixes,
  dangerouslyAllowHttp: checkHosts,
  dangerouslyAllowBrowser: checkBoolean,
  validation: checkValidation,
  classifyError: checkFunction,
  createReference: checkFunction,
  mobile: oneOf("normalize", "asGiven"),
  contextTokenPattern: checkPattern,
  logger: checkLogger,
  logLevel: oneOf("off", "error", "warn", "info", "debug"),
  logPersonalData: checkBoolean,
  onEvent: checkFunction,
};
const validationRules: Rules<Required<ClientOptions>["validation"]> = {
  request: oneOf("strict", "off"),
  response: oneOf("essential", "strict", "off"),
};
const prefixRules: Rules<Required<ClientOptions>["pathPrefixes"]> = {
  verification: checkText,
  ai: checkText,
  flight: checkText,
};

const relayRules: Rules<RelayOptions> = {
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: durationFrom(1),
  errorText: checkFunction,
};
const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: checkHeaderTexts };

const reservedHeaders: Record<string, string> = {
  "client-id": "set `clientId` instead",
  "client-secret": "set `clientSecret` instead",
  "content-type": "it is always application/json (§5)",
};
/** `setTimeout` fires at once beyond this. */
export const longestTimer = 2_147_483_647;

/** Refuses unknown names and impossible values of `new ServiceApi(options)`. */
export function checkClientOptions(options: ClientOptions): void {
  check("ServiceApi", options, clientRules);
}

/** Refuses unknown names and impossible values in the options of one call. */
export function checkRequestOptions(operation: string, options: RequestOptions | StreamOptions, stream: boolean): void {
  check(operation, options, stream ? streamRules : requestRules);
}

/** The same for the options of a relay to a screen. */
export function checkRelayOptions(owner: string, options: RelayOptions): void {
  check(owner, options, relayRules);
}

/** The same for a relay that is a whole response. */
export function checkRelayResponseOptions(owner: string, options: RelayResponseOptions): void {
  check(owner, options, relayResponseRules);
}

/** Holds every option that is given to its rule. `prefix` stands before the names of options within an option. */
function check(owner: string, options: object, rules: Readonly<Record<string, Rule>>, prefix = ""): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${owner}: the options must be an object.`);
  }
  refuseUnknownNames(owner, "option", options, Object.keys(rules));
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) rules[name]?.(value, `${prefix}${name}`);
  }
}

function acceptAny(): void {}

function durationFrom(least: number): Rule {
  return (value, name) => {
    if (value === false || (typeof value === "number" && value >= least && value <= longestTimer)) return;
    throw refuse(name, `must be milliseconds from ${least} to ${longestTimer}, or false for none`);
  };
}

function checkCount(value: unknown, name: string): void {
  if (!Number.isInteger(value) || Number(value) < 0) throw refuse(name, "must be a whole number from 0");
}

function checkFunction(value: unknown, name: string): void {
  if (typeof value !== "function") throw refuse(name, "must be a function");
}

function checkBoolean(value: unknown, name: string): void {
  if (typeof value !== "boolean") throw refuse(name, "must be true or false");
}

function checkText(value: unknown, name: string): void {
  if (typeof value !== "string") throw refuse(name, "must be a text");
}

function checkUserAgent(value: unknown, name: string): void {
  if (value !== false && typeof value !== "string") throw refuse(name, "must be a text, or false for none");
}

function checkPattern(value: unknown, name: string): void {
  if (value !== false && !(value instanceof RegExp)) throw refuse(name, "must be a RegExp, or false for anything");
}

function checkSignal(value: unknown, name: string): void {
  if (!isObject(value) || typeof value.addEventListener !== "function") throw refuse(name, "must be an AbortSignal");
}

function checkExtraBody(value: unknown, name: string): void {
  if (!isObject(value) || Array.isArray(value)) throw refuse(name, "must be an object of fields");
}

function checkLogger(value: unknown, name: string): void {
  const isLogger = isObject(value) && ["error", "warn", "info", "debug"].every((level) => level in value);
  if (!isLogger) throw refuse(name, "must have the methods error, warn, info and debug, as the console has");
}

function checkHosts(value: unknown, name: string): void {
  if (!Array.isArray(value)) throw refuse(name, 'must be a list of host names, such as ["emulator"]');
}

function checkValidation(value: unknown): void {
  check("validation", value as object, validationRules, "validation.");
}

function checkPathPrefixes(value: unknown): void {
  check("pathPrefixes", value as object, prefixRules, "pathPrefixes.");
}

function oneOf(...words: readonly string[]): Rule {
  return (value, name) => {
    if (!words.some((word) => word === value)) {
      throw refuse(name, `must be ${words.map((word) => `"${word}"`).join(" or ")}`);
    }
  };
}

function checkHeaders(value: unknown): void {
  checkHeaderTexts(value);
  for (const name of Object.keys(value)) {
    const reason = reservedHeaders[name.toLowerCase()];
    if (reason !== undefined) throw new ConfigurationError(`The header "${name}" cannot be set here: ${reason}.`);
  }
}

function checkHeaderTexts(value: unknown): asserts value is object {
  // The entries of a `Headers` are no properties: it would be taken for an empty object.
  if (!isObject(value) || Symbol.iterator in value) {
    throw refuse("headers", "must be a plain object of names and texts");
  }
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string") throw new ConfigurationError(`The header "${name}" must be a text.`);
    try {
      new Headers().set(name, text);
    } catch {
      // The runtime's own message quotes the value.
      throw new ConfigurationError(`The header "${name.slice(0, 60)}" has a name or value that HTTP does not allow.`);
    }
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function refuse(name: string, rule: string): ConfigurationError {
  return new ConfigurationError(`\`${name}\` ${rule}.`);
}
