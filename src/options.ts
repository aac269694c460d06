import { type AreaName, pathPrefixes, prefixesByArea } from "./area.ts";
import type { ApiErrorKind } from "./errors/base.ts";
import { credentialComplaint } from "./shared/credential.ts";
import { each } from "./shared/objects.ts";
import * as rule from "./shared/options.ts";
import { maxTimerMs, type Rule, type Rules, readOptions } from "./shared/options.ts";
import type { OperationResponse } from "./transport/envelope.ts";
import type { ClientEvent, LogOptions } from "./transport/log.ts";

/** A credential, or a function that returns it and is called for each call, so that rotation needs no restart. */
export type Credential = string | (() => string | Promise<string>);

/** Strictness of the checks of requests and responses (docs/assumptions.md, A4 and A5). */
export interface ValidationOptions {
  /**
   * `strict` refuses a request that breaks a rule of the document before it is sent; `off` skips the check.
   *
   * @default "strict"
   */
  readonly request?: "strict" | "off";
  /**
   * `essential` refuses a response that lacks what the call is made for and reports other differences as warnings;
   * `strict` refuses any difference but an unlisted status and the order of a stream; `off` skips the check, also whether a look-up's or an AI response belongs to
   * another request.
   *
   * @default "essential"
   */
  readonly response?: "essential" | "strict" | "off";
  /**
   * `normalize` strips `+91`, spaces and dashes from mobile numbers; `asGiven` sends them unchanged
   * (docs/assumptions.md, V3).
   *
   * @default "normalize"
   */
  readonly mobile?: "normalize" | "asGiven";
  /**
   * Pattern that a `context_token` in a request must match (§4.2). `false` accepts anything.
   *
   * @default /^svc_[A-Za-z0-9]+$/
   */
  readonly contextToken?: RegExp | false;
}

/** Limits of a stream; all but `timeout` begin with the response. Durations are milliseconds, and `false` disables a limit. */
export interface StreamLimits {
  /** Maximum time without a byte. @default 60_000 */
  readonly idleTimeout?: number | false | undefined;
  /** Maximum time without an event; heartbeats do not count. @default 300_000 */
  readonly eventTimeout?: number | false | undefined;
  /** Timeout for the whole stream, starting with the call. @default false */
  readonly timeout?: number | false | undefined;
  /** Maximum time that early chunks wait for the missing one. With `0` they do not wait. @default 250 */
  readonly reorderTimeout?: number | false | undefined;
  /** Maximum size of an event in bytes. @default 1 MiB */
  readonly maxEventBytes?: number | undefined;
}

/**
 * Sentences of your deployment that the library does not know, such as those in another language. Each is compared with
 * a whole message or a whole clause of one; case and punctuation at the end do not count, and a `#` stands for a number
 * other than 0.
 */
export interface KnownMessages {
  /** Sentences with which it refuses a call of `retry: "never"`: it did not carry it out. */
  readonly refused?: readonly string[];
  /** Sentences with which it confirms a booking. */
  readonly booked?: readonly string[];
}

/** A refusal by the service whose kind is still to be decided, as {@link ClientOptions.classifyError} receives it. */
export interface UnclassifiedRefusal extends Omit<OperationResponse, "verdict"> {
  /** The operation that was called, such as `flights.fareQuote`. */
  readonly operation: string;
}

/**
 * Options of `new ServiceApi(options)`. Durations are milliseconds. docs/assumptions.md says which assumption is behind
 * each default.
 */
export interface ClientOptions {
  /** Base URL of the service, https. @default the environment variable `SERVICEAPI_BASE_URL` */
  readonly baseUrl?: string | undefined;
  /** Client ID, sent in the header `client-id` (§5). @default the environment variable `SERVICEAPI_CLIENT_ID` */
  readonly clientId?: Credential | undefined;
  /**
   * Client secret, sent in the header `client-secret` (§5).
   *
   * @default the environment variable `SERVICEAPI_CLIENT_SECRET`
   */
  readonly clientSecret?: Credential | undefined;

  /**
   * Milliseconds (20 s is `20_000`) that a single attempt may take, headers and body together. `false` disables the
   * timeout. That of a client does not shorten `book`, or another operation without retries: to give up early would
   * leave its outcome unknown. `timeout` of the call or the operation does.
   *
   * @default 30_000, 60_000, 120_000 or 180_000 by operation (docs/assumptions.md, D1)
   */
  readonly timeout?: number | false | undefined;
  /**
   * Timeout for a call with all its retries in milliseconds. `false` disables it. It shortens `book`, too.
   *
   * @default 180_000 (streams: false)
   */
  readonly totalTimeout?: number | false | undefined;
  /** Maximum number of retries for calls that are safe to retry. `0` disables retries. @default 2 */
  readonly maxRetries?: number | undefined;
  /**
   * Returns the milliseconds to wait before retry `n` (from 1) if the service names no time.
   *
   * @default 500 ms doubled each time up to 8 s, with full jitter
   */
  readonly retryDelay?: ((retry: number) => number) | undefined;
  /**
   * Longest `Retry-After` that is waited for, in milliseconds. If the service asks for more, the call fails
   * immediately.
   *
   * @default 60_000
   */
  readonly maxRetryAfter?: number | undefined;
  /** Limits of a stream. Those of a call override the client's one by one. */
  readonly stream?: StreamLimits | undefined;
  /** Maximum size of a response in bytes, after decompression. @default 16 MiB */
  readonly maxResponseBytes?: number | undefined;

  /**
   * Replaces `fetch`. It must send each request once and must not follow redirects. It is called with a URL as a string,
   * and with `method`, `headers`, `body` (a JSON string), `signal` and `redirect: "manual"`. It may return the
   * `Response` of node-fetch or of a mock.
   *
   * @default the `fetch` of the runtime
   */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Additional headers. Those of a call are added to the client's. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The header `user-agent`. `false` omits it.
   *
   * @default `serviceapi/<version>`, unless the runtime forbids setting it
   */
  readonly userAgent?: string | false | undefined;
  /**
   * The path in front of each area's operations (docs/assumptions.md, T1). An area of your own has none without an
   * entry here.
   *
   * @default `{ verification: "", ai: "api/serviceapi-prod/api", flights: "" }`
   */
  readonly pathPrefixes?: Partial<Record<AreaName, string | undefined>> | undefined;
  /**
   * Hosts other than loopback that may be called over plain `http:`, such as a name in a Compose network.
   *
   * @default []
   */
  readonly dangerouslyAllowHttp?: readonly string[] | undefined;
  /** Allows use in a browser, where anyone can read the client secret. @default false */
  readonly dangerouslyAllowBrowser?: boolean | undefined;

  /** Strictness of the checks. Entries of a call override the client's one by one. */
  readonly validation?: ValidationOptions | undefined;
  /**
   * Returns the kind of an error. If it returns `undefined` or throws, the built-in table decides (docs/assumptions.md,
   * A3).
   */
  readonly classifyError?: ((response: UnclassifiedRefusal) => ApiErrorKind | undefined) | undefined;
  /**
   * Sentences that prove the outcome of an operation with `retry: "never"`, beside those that the library knows
   * (docs/assumptions.md, F5).
   */
  readonly knownMessages?: KnownMessages | undefined;
  /**
   * Returns a `client_referenceId`, unique and never empty, for a call that has none; AI takes at most 30 characters
   * (§8).
   *
   * @default a ULID: unique, sortable, 26 characters
   */
  readonly createReference?: (() => string) | undefined;

  /** Destination and extent of the log, which is off by default. */
  readonly log?: LogOptions | undefined;
  /**
   * Called for each request, response, retry, error, drift and end of a stream, with names, durations and sizes, never
   * with bodies.
   */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

/**
 * Options of one call, the second argument of all methods. They override the client's, which are also their defaults.
 */
export interface RequestOptions
  extends Pick<ClientOptions, "timeout" | "totalTimeout" | "maxRetries" | "headers" | "validation"> {
  /** Aborts the call, which then rejects with an {@link AbortError}. */
  readonly signal?: AbortSignal | undefined;
  /** Undocumented fields to merge into the body; lists merge by position. They are not checked. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of one stream. `timeout` and `totalTimeout` end with the headers, `stream.timeout` with the stream. */
export interface StreamOptions extends RequestOptions, Pick<ClientOptions, "stream"> {}

/**
 * The default of every option that has a fixed one. `timeout` is that of `defineOperation`; each built-in operation has
 * its own (docs/assumptions.md, D1).
 */
export const defaults = {
  timeout: 60_000,
  totalTimeout: 180_000,
  maxRetries: 2,
  /** Exponential from `first` to `max` milliseconds, with full jitter. */
  retryDelay: { first: 500, max: 8_000 },
  maxRetryAfter: 60_000,
  stream: {
    idleTimeout: 60_000,
    eventTimeout: 300_000,
    timeout: false,
    reorderTimeout: 250,
    maxEventBytes: 1024 * 1024,
  },
  maxResponseBytes: 16 * 1024 * 1024,
  pathPrefixes,
  dangerouslyAllowHttp: [],
  dangerouslyAllowBrowser: false,
  validation: {
    request: "strict",
    response: "essential",
    mobile: "normalize",
    contextToken: /^svc_[A-Za-z0-9]+$/,
  },
} as const;

/** The result of a function, and the environment, are checked when they are read. */
const credential: Rule = (value) => (typeof value === "function" ? undefined : credentialComplaint(value));
const regExp: Rule = (value) => (value instanceof RegExp ? undefined : "must be a RegExp");
const hostName: Rule = (value) =>
  typeof value === "string" && URL.parse(`http://${value}`)?.hostname === value.toLowerCase()
    ? undefined
    : 'must be the name of a host, such as "emulator": no scheme, port or path';
const fields: Rule = (value, name) => rule.object(value, name) && "must be an object of fields";

const reservedHeaders: ReadonlyMap<string, string> = new Map([
  ["client-id", "set `clientId` instead"],
  ["client-secret", "set `clientSecret` instead"],
  ["content-type", "it is always application/json"],
]);
const ofConnection = /^(?:connection|content-length|expect|keep-alive|transfer-encoding|upgrade)$/i;
const userAgent: Rule = (value) => {
  if (value === false) return undefined;
  return rule.string(value, "")
    ? "must be a string, or `false` to omit it"
    : rule.plainHeaders({ "user-agent": value });
};
const requestHeaders: Rule = (value) => {
  const complaint = rule.plainHeaders(value);
  if (complaint !== undefined) return complaint;
  for (const header of Object.keys(Object(value))) {
    const reason = ofConnection.test(header)
      ? "it belongs to the connection"
      : reservedHeaders.get(header.toLowerCase());
    if (reason !== undefined) return `cannot set "${header}": ${reason}`;
  }
  return undefined;
};

const commonRules: Rules<Omit<RequestOptions, "signal" | "extraBody">> = {
  ...each(rule.millisecondsOrFalse(), "timeout", "totalTimeout"),
  maxRetries: rule.integer(0),
  headers: requestHeaders,
  validation: rule.group<ValidationOptions>({
    request: rule.oneOf("strict", "off"),
    response: rule.oneOf("essential", "strict", "off"),
    mobile: rule.oneOf("normalize", "asGiven"),
    contextToken: rule.anyOf("must be a RegExp, or `false` to accept anything", regExp, rule.oneOf(false)),
  }),
};
const stream = rule.group<StreamLimits>({
  ...each(rule.millisecondsOrFalse(), "idleTimeout", "eventTimeout", "timeout"),
  reorderTimeout: rule.millisecondsOrFalse(0),
  maxEventBytes: rule.integer(1),
});

export const requestRules: Rules<RequestOptions> = { ...commonRules, signal: rule.signal, extraBody: fields };
export const streamRules: Rules<StreamOptions> = { ...requestRules, stream };
export const clientRules: Rules<ClientOptions> = {
  baseUrl: rule.string,
  ...each(credential, "clientId", "clientSecret"),
  ...commonRules,
  retryDelay: rule.func,
  maxRetryAfter: rule.integer(0, maxTimerMs),
  stream,
  maxResponseBytes: rule.integer(1),
  fetch: rule.func,
  userAgent,
  pathPrefixes: prefixesByArea,
  dangerouslyAllowHttp: rule.listOf(hostName, 0),
  dangerouslyAllowBrowser: rule.boolean,
  classifyError: rule.func,
  knownMessages: rule.group<KnownMessages>(each(rule.listOf(rule.nonEmptyString, 0), "refused", "booked")),
  createReference: rule.func,
  log: rule.group<LogOptions>({
    logger: rule.objectWith("error", "warn", "info", "debug"),
    level: rule.oneOf("off", "error", "warn", "info", "debug"),
    personalData: rule.boolean,
  }),
  onEvent: rule.func,
};

/**
 * Checks the options of a client or a call, and returns a copy of them.
 *
 * @param owner - The client or the operation, for the message.
 * @throws ConfigurationError for an unknown name or an invalid value.
 */
export function checkOptions<Options extends ClientOptions & RequestOptions>(
  owner: string,
  options: Options,
  rules: Rules<Options>,
): Options {
  const given = readOptions(owner, options, rules);
  // Each header has one name, in whichever layers it is set.
  const headers = given.headers && Object.entries(given.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return layerOptions<Options>(Object.create(null), {
    ...given,
    ...(headers && { headers: Object.fromEntries(headers) }),
  });
}

/** The options that are objects of options, or of names. */
const groups = ["stream", "headers", "validation", "pathPrefixes", "knownMessages", "log"] as const;

/** Returns `base`, overridden by the options that `over` sets: groups entry by entry. */
export function layerOptions<Options extends ClientOptions & RequestOptions>(
  base: ClientOptions,
  over: Options,
): ClientOptions & Options {
  const layered: ClientOptions & Options = layer(base, over);
  for (const name of groups) {
    if (Object.hasOwn(over, name)) Object.assign(layered, { [name]: layer(base[name], over[name]) });
  }
  return layered;
}

/**
 * Returns the options of a client for an operation that is sent once: a timeout that is meant for look-ups does not
 * shorten it.
 */
export function lasting(client: ClientOptions, { timeout }: { readonly timeout: number }): ClientOptions {
  return client.timeout !== false && Number(client.timeout) < timeout ? layerOptions(client, { timeout }) : client;
}

/** `undefined` sets nothing, and lists are copied. Without a prototype: a property that all objects inherit is not an option. */
function layer(base: object | undefined, over: object = {}) {
  const given = Object.entries(over)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]);
  return Object.assign(Object.create(null), base, Object.fromEntries(given));
}

/**
 * Returns the milliseconds after which a call that is not retried has ended, whatever the service does; `false` if it
 * has no limit.
 *
 * @param client - The options of the client.
 * @param own - Those of the call, checked.
 */
export function timeLimit(
  operation: { readonly timeout: number },
  client: ClientOptions,
  own: RequestOptions,
): number | false {
  const { timeout = operation.timeout, totalTimeout = defaults.totalTimeout } = layerOptions(
    lasting(client, operation),
    own,
  );
  if (timeout === false) return totalTimeout;
  // The credentials may take as long as the attempt.
  return totalTimeout === false ? 2 * timeout : Math.min(totalTimeout, 2 * timeout);
}
