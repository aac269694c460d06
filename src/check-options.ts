import type { RelayOptions, RelayResponseOptions } from "./ai/relay.ts";
import type { Area } from "./operation.ts";
import type { ClientOptions, RequestOptions, StreamOptions, ValidationOptions } from "./options.ts";
import {
  anyOf,
  boolean,
  func,
  group,
  integer,
  listOf,
  millisecondsOrFalse,
  nonEmptyString,
  object,
  objectWith,
  oneOf,
  type Rules,
  readOptions,
  string,
} from "./shared/options.ts";

const credential = anyOf("must be a string, or a function that returns one", string, func);
const validation = group<ValidationOptions>({
  request: oneOf("strict", "off"),
  response: oneOf("essential", "strict", "off"),
});
const durations = { timeout: millisecondsOrFalse(), totalTimeout: millisecondsOrFalse() };
const streamDurations = {
  idleTimeout: millisecondsOrFalse(),
  eventTimeout: millisecondsOrFalse(),
  streamTimeout: millisecondsOrFalse(),
  reorderTimeout: millisecondsOrFalse(),
};
/** What the options of a call must be. */
export const requestRules: Rules<RequestOptions> = {
  signal,
  ...durations,
  maxRetries: integer(0),
  headers: requestHeaders,
  validation,
  extraBody: fields,
};
/** What the options of a stream must be. */
export const streamRules: Rules<StreamOptions> = { ...requestRules, ...streamDurations, maxEventBytes: integer(0) };
const clientRules: Rules<ClientOptions> = {
  // What these hold is checked where it is read: a function or the environment may supply it later.
  baseUrl: string,
  clientId: credential,
  clientSecret: credential,
  webhooks: object,
  ...durations,
  maxRetries: integer(0),
  retryDelay: func,
  maxRetryAfter: integer(0),
  ...streamDurations,
  maxResponseBytes: integer(0),
  maxEventBytes: integer(0),
  fetch: func,
  headers: requestHeaders,
  userAgent: anyOf("must be a string, or `false` to omit it", string, oneOf(false)),
  pathPrefixes: group<Record<Area, string>>({ verification: string, ai: string, flight: string }),
  dangerouslyAllowHttp: listOf(nonEmptyString, 0),
  dangerouslyAllowBrowser: boolean,
  validation,
  classifyError: func,
  createReference: func,
  mobile: oneOf("normalize", "asGiven"),
  contextTokenPattern: anyOf("must be a RegExp, or `false` to accept anything", regExp, oneOf(false)),
  logger: objectWith("error", "warn", "info", "debug"),
  logLevel: oneOf("off", "error", "warn", "info", "debug"),
  logPersonalData: boolean,
  onEvent: func,
};
const relayRules: Rules<RelayOptions> = {
  format: oneOf("sse", "text", "ui-message"),
  heartbeat: millisecondsOrFalse(1),
  errorText: func,
};
const relayResponseRules: Rules<RelayResponseOptions> = { ...relayRules, headers: headers };

const reservedHeaders: Record<string, string> = {
  "client-id": "set `clientId` instead",
  "client-secret": "set `clientSecret` instead",
  "content-type": "it is always application/json",
};

/** Checks the options of `new ServiceApi(options)` and returns a copy of them. */
export function checkClientOptions(options: ClientOptions): ClientOptions {
  return withOwnGroups(readOptions("ServiceApi", options, clientRules));
}

/** Checks the options of one call and returns a copy of them. */
export function checkRequestOptions<Options extends RequestOptions | StreamOptions>(
  operation: string,
  options: Options,
  stream: boolean,
): Options {
  return withOwnGroups(readOptions<RequestOptions>(operation, options, stream ? streamRules : requestRules) as Options);
}

/** Groups of options, too, as copies without a prototype: a polluted `Object.prototype` adds nothing to them. */
function withOwnGroups<Options extends ClientOptions & RequestOptions>(options: Options): Options {
  const copy: Options = { __proto__: null, ...options };
  for (const name of ["headers", "validation", "pathPrefixes"] as const) {
    if (options[name] !== undefined) Object.assign(copy, { [name]: { __proto__: null, ...options[name] } });
  }
  return copy;
}

/** Checks the options of a relay to a screen and returns a copy of them. */
export function checkRelayOptions(owner: string, options: RelayOptions): RelayOptions {
  return readOptions(owner, options, relayRules);
}

/** Checks the options of a relay that is a whole response and returns a copy of them. */
export function checkRelayResponseOptions(owner: string, options: RelayResponseOptions): RelayResponseOptions {
  return readOptions(owner, options, relayResponseRules);
}

function regExp(value: unknown): string | undefined {
  return value instanceof RegExp ? undefined : "must be a RegExp";
}

function signal(value: unknown): string | undefined {
  const isSignal = objectWith("addEventListener", "removeEventListener")(value, "") === undefined;
  return isSignal && typeof Reflect.get(Object(value), "aborted") === "boolean" ? undefined : "must be an AbortSignal";
}

function fields(value: unknown): string | undefined {
  return isObject(value) && !Array.isArray(value) ? undefined : "must be an object of fields";
}

function requestHeaders(value: unknown): string | undefined {
  const complaint = headers(value);
  if (complaint !== undefined) return complaint;
  const reserved = Object.keys(Object(value)).find((header) => reservedHeaders[header.toLowerCase()] !== undefined);
  return reserved && `cannot set "${reserved}": ${reservedHeaders[reserved.toLowerCase()]}`;
}

function headers(value: unknown): string | undefined {
  // The entries of a `Headers` are not properties: it would be taken for an empty object.
  if (!isObject(value) || Symbol.iterator in value) return "must be a plain object of names and string values";
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== "string") return `has a value that is not a string: "${header}"`;
    try {
      new Headers().set(header, text);
    } catch {
      // The runtime's own message quotes the value.
      return `has a name or value that HTTP does not allow: "${header.slice(0, 60)}"`;
    }
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
