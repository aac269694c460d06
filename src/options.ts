import type { ApiErrorKind } from "./errors/base.ts";
import type { ClientEvent, Logger, LogLevel } from "./transport/log.ts";
import type { WebhooksOptions } from "./webhooks/types.ts";

/** The three groups of paths that can be prefixed on their own (`pathPrefixes`). */
export type Area = "verification" | "ai" | "flight";

/** A credential as text, or a function that is asked for it at each call, so that rotation needs no restart. */
export type Credential = string | (() => string | Promise<string>);

/** How much of what is sent and received is checked (docs/assumptions.md, A4 and A5). */
export interface ValidationOptions {
  /** `strict` refuses a request that breaks a rule of the document before it is sent. @default "strict" */
  readonly request?: "strict" | "off";
  /**
   * `essential` refuses an answer that lacks what the caller came for and reports every other difference;
   * `strict` refuses any difference; `off` skips the check.
   *
   * @default "essential"
   */
  readonly response?: "essential" | "strict" | "off";
}

/** What {@link ClientOptions.classifyError} is shown of an answer. */
export interface RefusedAnswer {
  /** Such as `flights.fareQuote`. */
  readonly operation: string;
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  /** `statusCode` or `status_code` of the body, as text. */
  readonly statusCode: string | undefined;
  /** The body's own `message`. */
  readonly serviceMessage: string | undefined;
  /** The answer as it came; undefined where it was not read (`asResponse()`). */
  readonly body: unknown;
}

/** Options of `new ServiceApi(options)`. docs/assumptions.md says what each default assumes and which lines have no option. */
export interface ClientOptions {
  /** Address of the service, https. @default `SERVICEAPI_BASE_URL` */
  readonly baseUrl?: string | undefined;
  /** Sent as the header `client-id` (§5). @default `SERVICEAPI_CLIENT_ID` */
  readonly clientId?: Credential | undefined;
  /** Sent as the header `client-secret` (§5). @default `SERVICEAPI_CLIENT_SECRET` */
  readonly clientSecret?: Credential | undefined;
  /** Options of `api.webhooks`; the same object as `new Webhooks({…})` of `serviceapi/webhooks` takes. */
  readonly webhooks?: WebhooksOptions | undefined;

  /** Milliseconds for one attempt, headers and body; `false` for none. @default 30_000, 60_000, 120_000 or 180_000 by operation (docs/assumptions.md, D1) */
  readonly timeout?: number | false | undefined;
  /** Milliseconds for a call with all its retries; `false` for none. @default 180_000 (streams: none) */
  readonly totalTimeout?: number | false | undefined;
  /** How often a call is repeated where that does no harm; `0` for never. @default 2 */
  readonly maxRetries?: number | undefined;
  /** Milliseconds to wait before retry `n` (from 1), where the service names none. @default 500 ms doubled each time up to 8 s, with full jitter */
  readonly retryDelay?: ((retry: number) => number) | undefined;
  /** The longest `Retry-After` in milliseconds that is waited for; beyond it the error comes at once. @default 60_000 */
  readonly maxRetryAfter?: number | undefined;
  /** Milliseconds without a byte after which a stream has stalled; `false` for none. @default 60_000 */
  readonly idleTimeout?: number | false | undefined;
  /** Milliseconds without an event after which a stream has stalled, heartbeats or not; `false` for none. @default 300_000 */
  readonly eventTimeout?: number | false | undefined;
  /** Milliseconds for a whole stream; `false` for none. @default false */
  readonly streamTimeout?: number | false | undefined;
  /** Milliseconds for which chunks of a stream that came early are held back for the missing one; `0` for not at all. @default 250 */
  readonly reorderTimeout?: number | false | undefined;
  /** The largest answer in bytes after decompression. @default 16 MiB */
  readonly maxResponseBytes?: number | undefined;
  /** The largest stream event in bytes. @default 1 MiB */
  readonly maxEventBytes?: number | undefined;

  /** Replaces `fetch`. It must send each request once and follow no redirect. @default the runtime's own */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Further headers for every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `false` for none. @default `serviceapi/<version>` where the runtime lets a caller set it */
  readonly userAgent?: string | false | undefined;
  /** Replaces the path in front of an area's operations (docs/assumptions.md, T1). @default `{ verification: "", ai: "api/serviceapi-prod/api", flight: "" }` */
  readonly pathPrefixes?: Partial<Record<Area, string>> | undefined;
  /** Hosts besides loopback to which plain `http:` is accepted, such as a name in a Compose network. @default [] */
  readonly dangerouslyAllowHttp?: readonly string[] | undefined;
  /** Allows use in a browser, where anyone can read the client secret. @default false */
  readonly dangerouslyAllowBrowser?: boolean | undefined;

  /** How much is checked. @default `{ request: "strict", response: "essential" }` */
  readonly validation?: ValidationOptions | undefined;
  /** Decides the kind of an error; `undefined`, or a throw, leaves it to the built-in table (docs/assumptions.md, A3). */
  readonly classifyError?: ((answer: RefusedAnswer) => ApiErrorKind | undefined) | undefined;
  /** Makes a `client_referenceId`, unique and never empty, where the caller gives none; AI takes at most 30 characters (§8). @default a ULID: unique, sortable, 26 characters */
  readonly createReference?: (() => string) | undefined;
  /** `asGiven` sends mobile numbers as they are instead of stripping `+91`, spaces and dashes (docs/assumptions.md, V3). @default "normalize" */
  readonly mobile?: "normalize" | "asGiven" | undefined;
  /** What a `context_token` in a request must look like; `false` for anything. @default /^svc_[A-Za-z0-9]+$/ (§4.2) */
  readonly contextTokenPattern?: RegExp | false | undefined;

  /** Where log lines go. @default the console, once `logLevel` is set */
  readonly logger?: Logger | undefined;
  /** The least severe lines that are written. @default "warn" with a logger, else "off": a library writes nothing to the console */
  readonly logLevel?: LogLevel | undefined;
  /** Shows mobile numbers, names, addresses and the like in log lines. Credentials are never shown. @default false */
  readonly logPersonalData?: boolean | undefined;
  /** Told of every request, retry, answer, drift and stream: names, durations and sizes, never bodies. */
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

/** Options of one call, the second argument of every method. They win over the client's. */
export interface RequestOptions {
  /** Ends the call with an {@link AbortError}, whether it waits for the credentials, the answer or a retry. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, headers and body; `false` for none. */
  readonly timeout?: number | false | undefined;
  /** Milliseconds for the call with all its retries; `false` for none. */
  readonly totalTimeout?: number | false | undefined;
  /** How often the call is repeated where that does no harm; `0` for never. */
  readonly maxRetries?: number | undefined;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How much is checked. */
  readonly validation?: ValidationOptions | undefined;
  /** Fields that the document does not show, merged into the body; lists merge by position. They are not checked. */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of one stream. `timeout` and `totalTimeout` end with the headers; the other three govern what follows. */
export interface StreamOptions extends RequestOptions {
  /** Milliseconds without a byte after which the stream has stalled; `false` for none. */
  readonly idleTimeout?: number | false | undefined;
  /** Milliseconds without an event after which the stream has stalled; `false` for none. */
  readonly eventTimeout?: number | false | undefined;
  /** Milliseconds for the whole stream; `false` for none. */
  readonly streamTimeout?: number | false | undefined;
  /** Milliseconds for which chunks that came early are held back for the missing one; `0` for not at all. */
  readonly reorderTimeout?: number | false | undefined;
  /** The largest event in bytes. */
  readonly maxEventBytes?: number | undefined;
}

/** Reads an environment variable if the runtime has them and allows it. */
export function readEnvironment(name: string): string | undefined {
  try {
    return (globalThis as WithEnvironment).process?.env?.[name];
  } catch {
    return undefined; // Deno throws without --allow-env.
  }
}

/** What to add to "set this variable" if the runtime does not let us see whether it is set; else nothing. */
export function environmentNote(name: string): string {
  try {
    (globalThis as WithEnvironment).process?.env?.[name];
    return "";
  } catch {
    return ` and allow reading it (Deno: --allow-env=${name})`;
  }
}

interface WithEnvironment {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** `base` with what `over` sets laid over it; headers, validation and prefixes by their entries. */
export function layerOptions<T extends ClientOptions & RequestOptions>(
  base: ClientOptions,
  over: T,
): ClientOptions & T {
  const set = Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)) as T;
  // Without a prototype: what every object inherits is no option.
  const given: T = Object.assign(Object.create(null), set);
  return {
    __proto__: null,
    ...base,
    ...given,
    ...(given.headers && { headers: { __proto__: null, ...base.headers, ...given.headers } }),
    ...(given.validation && { validation: { __proto__: null, ...base.validation, ...given.validation } }),
    ...(given.pathPrefixes && { pathPrefixes: { __proto__: null, ...base.pathPrefixes, ...given.pathPrefixes } }),
  };
}
