import { prefixesByArea } from "./area.ts";
import type { ClientOptions, KnownMessages, RequestOptions, StreamOptions, ValidationOptions } from "./options.ts";
import { credentialComplaint } from "./shared/credential.ts";
import { plainHeaders } from "./shared/headers.ts";
import { isObject } from "./shared/json.ts";
import {
  anyOf,
  boolean,
  func,
  group,
  integer,
  listOf,
  maxTimerMs,
  millisecondsOrFalse,
  nonEmptyString,
  objectWith,
  oneOf,
  type Rule,
  type Rules,
  readOptions,
  signal,
  string,
} from "./shared/options.ts";

/** The result of a function, and the environment, are checked when they are read. */
const credential: Rule = (value) => (typeof value === "function" ? undefined : credentialComplaint(value));
const validation = group<ValidationOptions>({
  request: oneOf("strict", "off"),
  response: oneOf("essential", "strict", "off"),
});
const durations = { timeout: millisecondsOrFalse(), totalTimeout: millisecondsOrFalse() };
const streamDurations = {
  idleTimeout: millisecondsOrFalse(),
  eventTimeout: millisecondsOrFalse(),
  streamTimeout: millisecondsOrFalse(),
  reorderTimeout: millisecondsOrFalse(0),
};
/** The rules for the options of a call. */
export const requestRules: Rules<RequestOptions> = {
  signal,
  ...durations,
  maxRetries: integer(0),
  headers: requestHeaders,
  validation,
  extraBody: fields,
};
/** The rules for the options of a stream. */
export const streamRules: Rules<StreamOptions> = { ...requestRules, ...streamDurations, maxEventBytes: integer(0) };
/** The rules for the options of a client. */
export const clientRules: Rules<ClientOptions> = {
  baseUrl: string,
  clientId: credential,
  clientSecret: credential,
  ...durations,
  maxRetries: integer(0),
  retryDelay: func,
  maxRetryAfter: integer(0, maxTimerMs),
  ...streamDurations,
  maxResponseBytes: integer(0),
  maxEventBytes: integer(0),
  fetch: func,
  headers: requestHeaders,
  userAgent: anyOf("must be a string, or `false` to omit it", string, oneOf(false)),
  pathPrefixes: prefixesByArea,
  dangerouslyAllowHttp: listOf(nonEmptyString, 0),
  dangerouslyAllowBrowser: boolean,
  validation,
  classifyError: func,
  knownMessages: group<KnownMessages>({ refused: listOf(nonEmptyString, 0), booked: listOf(nonEmptyString, 0) }),
  createReference: func,
  mobile: oneOf("normalize", "asGiven"),
  contextTokenPattern: anyOf("must be a RegExp, or `false` to accept anything", regExp, oneOf(false)),
  logger: objectWith("error", "warn", "info", "debug"),
  logLevel: oneOf("off", "error", "warn", "info", "debug"),
  logPersonalData: boolean,
  onEvent: func,
};

const reservedHeaders: Record<string, string> = {
  "client-id": "set `clientId` instead",
  "client-secret": "set `clientSecret` instead",
  "content-type": "it is always application/json",
};

/** Checks the options of a client and returns a copy of them. */
export function checkClientOptions<Options extends ClientOptions>(
  owner: string,
  options: Options,
  rules: Rules<Options>,
): Options {
  return withOwnGroups(readOptions(owner, options, rules));
}

/** Checks the options of one call and returns a copy of them. */
export function readRequestOptions(operation: string, options: RequestOptions): RequestOptions {
  return withOwnGroups(readOptions(operation, options, requestRules));
}

/** Checks the options of one stream and returns a copy of them. */
export function readStreamOptions(operation: string, options: StreamOptions): StreamOptions {
  return withOwnGroups(readOptions(operation, options, streamRules));
}

/** The options of a stream as they were at the call. */
export interface TakenOptions<Options> {
  readonly signal: AbortSignal | undefined;
  /** Returns the checked copy, or throws the error of the check: a stream fails when it is read. */
  readonly read: () => Options;
}

/** Checks the options of a stream at the call, although the request is sent at the first pull. */
export function takeOptions<Options extends StreamOptions>(check: () => Options): TakenOptions<Options> {
  try {
    const options = check();
    return { signal: options.signal, read: () => options };
  } catch (error) {
    const read = () => {
      throw error;
    };
    return { signal: undefined, read };
  }
}

/** Copies groups of options without a prototype, so that a polluted `Object.prototype` adds nothing to them. */
function withOwnGroups<Options extends ClientOptions & RequestOptions>(options: Options): Options {
  const copy: Options = { __proto__: null, ...options };
  for (const name of ["headers", "validation", "pathPrefixes"] as const) {
    if (options[name] !== undefined) Object.assign(copy, { [name]: { __proto__: null, ...options[name] } });
  }
  return copy;
}

function regExp(value: unknown): string | undefined {
  return value instanceof RegExp ? undefined : "must be a RegExp";
}

function fields(value: unknown): string | undefined {
  return isObject(value) ? undefined : "must be an object of fields";
}

function requestHeaders(value: unknown): string | undefined {
  const complaint = plainHeaders(value);
  if (complaint !== undefined) return complaint;
  const reserved = Object.keys(Object(value)).find((header) => reservedHeaders[header.toLowerCase()] !== undefined);
  return reserved && `cannot set "${reserved}": ${reservedHeaders[reserved.toLowerCase()]}`;
}
