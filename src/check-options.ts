import { ConfigurationError } from "./errors/request.ts";
import type { ClientOptions, RequestOptions, StreamOptions } from "./options.ts";

type AnyOptions = Partial<ClientOptions & StreamOptions>;

const requestOptionTable: Record<keyof RequestOptions, true> = {
  signal: true,
  timeout: true,
  totalTimeout: true,
  maxRetries: true,
  headers: true,
  validation: true,
  extraBody: true,
};

const names = <T>(table: Record<keyof T, true>): ReadonlySet<string> => new Set(Object.keys(table));
const requestOptionNames = names<RequestOptions>(requestOptionTable);
const streamOptionNames = names<StreamOptions>({
  ...requestOptionTable,
  idleTimeout: true,
  eventTimeout: true,
  streamTimeout: true,
  reorderTimeout: true,
  maxEventBytes: true,
});
const clientOptionNames = names<ClientOptions>({
  baseUrl: true,
  clientId: true,
  clientSecret: true,
  webhooks: true,
  timeout: true,
  totalTimeout: true,
  maxRetries: true,
  retryDelay: true,
  maxRetryAfter: true,
  idleTimeout: true,
  eventTimeout: true,
  streamTimeout: true,
  reorderTimeout: true,
  maxResponseBytes: true,
  maxEventBytes: true,
  fetch: true,
  headers: true,
  userAgent: true,
  pathPrefixes: true,
  dangerouslyAllowHttp: true,
  dangerouslyAllowBrowser: true,
  validation: true,
  classifyError: true,
  createReference: true,
  mobile: true,
  contextTokenPattern: true,
  logger: true,
  logLevel: true,
  logPersonalData: true,
  onEvent: true,
});

const durations = [
  "timeout",
  "totalTimeout",
  "idleTimeout",
  "eventTimeout",
  "streamTimeout",
  "reorderTimeout",
] as const;
const counts = ["maxRetries", "maxRetryAfter", "maxResponseBytes", "maxEventBytes"] as const;
const functions = ["fetch", "retryDelay", "classifyError", "createReference", "onEvent"] as const;
const words = { mobile: ["normalize", "asGiven"], logLevel: ["off", "error", "warn", "info", "debug"] } as const;
const validationWords = { request: ["strict", "off"], response: ["essential", "strict", "off"] } as const;
const areas: ReadonlySet<string> = new Set(["verification", "ai", "flight"]);
const reservedHeaders: Record<string, string> = {
  "client-id": "set `clientId` instead",
  "client-secret": "set `clientSecret` instead",
  "content-type": "it is always application/json (§5)",
};
/** `setTimeout` fires at once beyond this. */
const longestTimer = 2_147_483_647;

/** Refuses unknown names and impossible values of `new ServiceApi(options)`. */
export function checkClientOptions(options: ClientOptions): void {
  checkNames("ServiceApi", options, clientOptionNames);
  checkValues(options);
}

/** Refuses unknown names and impossible values in the options of one call. */
export function checkRequestOptions(operation: string, options: RequestOptions | StreamOptions, stream: boolean): void {
  checkNames(operation, options, stream ? streamOptionNames : requestOptionNames);
  checkValues(options);
}

function checkNames(owner: string, options: object, known: ReadonlySet<string>): void {
  if (typeof options !== "object" || options === null) {
    throw new ConfigurationError(`${owner}: the options must be an object.`);
  }
  const unknown = Object.keys(options).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const hints = unknown.map((name) => {
    const similar = [...known].find(
      (candidate) => candidate.toLowerCase() === name.toLowerCase().replaceAll(/[_-]/g, ""),
    );
    return similar === undefined ? `"${name}"` : `"${name}" (did you mean "${similar}"?)`;
  });
  throw new ConfigurationError(`${owner}: unknown option ${hints.join(", ")}. Known: ${[...known].join(", ")}.`);
}

function checkValues(options: AnyOptions): void {
  for (const name of durations) checkDuration(name, options[name]);
  for (const name of counts) checkCount(name, options[name]);
  for (const name of functions) {
    const value: unknown = options[name];
    if (value !== undefined && typeof value !== "function") throw refuse(name, "must be a function");
  }
  checkWords("", options, words);
  checkValidation(options.validation);
  if (options.pathPrefixes !== undefined) checkNames("pathPrefixes", options.pathPrefixes, areas);
  if (options.dangerouslyAllowHttp !== undefined && !Array.isArray(options.dangerouslyAllowHttp)) {
    throw refuse("dangerouslyAllowHttp", 'must be a list of host names, such as ["emulator"]');
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== "function") {
    throw refuse("signal", "must be an AbortSignal");
  }
  if (options.headers !== undefined) checkHeaders(options.headers);
}

function checkDuration(name: string, value: unknown): void {
  if (value === undefined || value === false) return;
  if (typeof value === "number" && value >= 0 && value <= longestTimer) return;
  throw refuse(name, `must be milliseconds from 0 to ${longestTimer}, or false for none`);
}

function checkCount(name: string, value: unknown): void {
  if (value === undefined || (typeof value === "number" && Number.isInteger(value) && value >= 0)) return;
  throw refuse(name, "must be a whole number from 0");
}

function checkValidation(validation: unknown): void {
  if (validation === undefined) return;
  checkNames("validation", validation as object, new Set(Object.keys(validationWords)));
  checkWords("validation.", validation as object, validationWords);
}

function checkWords(owner: string, options: object, table: Readonly<Record<string, readonly string[]>>): void {
  for (const [name, known] of Object.entries(table)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined && !known.some((word) => word === value)) {
      throw refuse(`${owner}${name}`, `must be ${known.map((word) => `"${word}"`).join(" or ")}`);
    }
  }
}

function checkHeaders(headers: object): void {
  // The entries of a `Headers` are no properties: it would be taken for an empty object.
  const isPlain = typeof headers === "object" && headers !== null && !(Symbol.iterator in headers);
  if (!isPlain) throw refuse("headers", "must be a plain object of names and texts");
  for (const [name, value] of Object.entries(headers)) {
    const reason = reservedHeaders[name.toLowerCase()];
    if (reason !== undefined) throw new ConfigurationError(`The header "${name}" cannot be set here: ${reason}.`);
    if (typeof value !== "string") throw new ConfigurationError(`The header "${name}" must be a text.`);
  }
}

function refuse(name: string, rule: string): ConfigurationError {
  return new ConfigurationError(`\`${name}\` ${rule}.`);
}
