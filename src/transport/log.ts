import type { ServiceApiError } from "../errors/base.ts";
import { maskName } from "../errors/issues.ts";
import { readEnvironment } from "../shared/environment.ts";
import { isObjectOrList } from "../shared/json.ts";
import { quietly } from "../shared/promises.ts";
import { createReference } from "../shared/ulid.ts";
import { redact, redactor } from "./redact.ts";

/** The least severe level that is written; `off` writes nothing. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** A destination for log lines, such as the console, pino, winston or consola. */
export interface Logger {
  /** Writes a line about a call or a stream that failed. */
  error(message: string, fields?: object): void;
  /** Writes a line about a retry, or a response that differs from the document. */
  warn(message: string, fields?: object): void;
  /** Writes a line about a response or the end of a stream. */
  info(message: string, fields?: object): void;
  /** Writes a line about a request, with its body. */
  debug(message: string, fields?: object): void;
}

/**
 * An event of a call, as `onEvent` receives it: names, durations in milliseconds and sizes; never a body, a header or a
 * credential.
 */
export type ClientEvent = {
  /** The same for all events of one call, and for no other call: a ULID. */
  readonly callId: string;
  /** The operation that was called, such as `flights.fareQuote`. */
  readonly operation: string;
  /** The `client_referenceId` of the call, if it has one. */
  readonly clientReferenceId: string | undefined;
} & (RequestEvent | ResponseEvent | RetryEvent | DriftEvent | ResolvedEvent | StreamEvent | ErrorEvent);

/**
 * A request is about to be passed to `fetch`. An abort may still stop it: the `error` event has the number that were
 * sent.
 */
interface RequestEvent {
  readonly type: "request";
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  /** The URL, which has no query. */
  readonly url: string;
  /** Bytes of the body in UTF-8. */
  readonly bytes: number;
}

interface ResponseEvent {
  readonly type: "response";
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  readonly httpStatus: number;
  /** The ID that the service, or a gateway before it, gave the request, if it has one. */
  readonly requestId: string | undefined;
  /** Until the body was read; until the headers arrived if the caller reads the body (`asResponse()`, streams). */
  readonly duration: number;
  /** Bytes of the body after decompression; absent if the caller reads the body. */
  readonly bytes?: number;
}

/** The call is retried after `delay`. */
interface RetryEvent {
  readonly type: "retry";
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  readonly delay: number;
  /** `kind` of the error of that attempt. */
  readonly reason: string;
}

/** The response differs from the document (docs/assumptions.md, A4). */
interface DriftEvent {
  readonly type: "drift";
  /** Dot paths of the differences. */
  readonly paths: readonly string[];
}

/** The call has resolved: its body was accepted, or `asResponse()` got its headers. */
interface ResolvedEvent {
  readonly type: "resolved";
  /** Number of requests that were sent. */
  readonly attempts: number;
  /** Since the call was made. */
  readonly duration: number;
}

/** A stream has ended. */
interface StreamEvent {
  readonly type: "stream";
  readonly end: "completed" | "failed" | "truncated" | "stalled" | "aborted";
  /** Number of events that were read, after an abort also of those that were received. */
  readonly events: number;
  /** Since the call was made: at the first pull of the stream. */
  readonly duration: number;
  /** `kind` of the error of a stream that did not complete. */
  readonly kind: string | undefined;
  /** `outcome` of the error. */
  readonly outcome: string | undefined;
  /** The ID that the service, or a gateway before it, gave the request, if it has one. */
  readonly requestId: string | undefined;
}

/** The call has failed, or was refused before it was sent. */
interface ErrorEvent {
  readonly type: "error";
  /** `kind` of the error. */
  readonly kind: string;
  /** `outcome` of the error. */
  readonly outcome: string;
  /** `requestId` of the error. */
  readonly requestId: string | undefined;
  /** Number of requests that were sent; 0 for a call that was refused before. */
  readonly attempts: number;
  /** Since the call was made. */
  readonly duration: number;
}

/** A {@link ClientEvent} without the fields that all events have. */
export type EventDetails = DistributiveOmit<ClientEvent, "callId" | "operation" | "clientReferenceId">;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** Destination and extent of the log. */
export interface LogOptions {
  /** Destination of the lines. @default the console, if `level` is set */
  readonly logger?: Logger | undefined;
  /**
   * The least severe level that is logged.
   *
   * @default the environment variable `SERVICEAPI_LOG` when the client is made; without it, "warn" with a `logger`, else "off"
   */
  readonly level?: LogLevel | undefined;
  /** Logs mobile numbers, names, postal addresses and the like. Credentials are never logged. @default false */
  readonly personalData?: boolean | undefined;
}

/** The options that govern the reports. */
export interface ReportOptions {
  readonly log?: LogOptions | undefined;
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

/** Reports one call to `onEvent` and the log. */
export type Reporter = NonNullable<ReturnType<typeof createReporter>>;

const ranks: Record<LogLevel, number> = { off: 0, error: 1, warn: 2, info: 3, debug: 4 };

/** Returns the level of the environment variable `SERVICEAPI_LOG`, unless it is not one. */
export function environmentLevel(): LogLevel | undefined {
  const level = readEnvironment("SERVICEAPI_LOG") ?? "";
  return Object.hasOwn(ranks, level) ? (level as LogLevel) : undefined;
}

const levels = { request: "debug", response: "info", retry: "warn", drift: "warn", resolved: "debug" } as const;

function levelOf(event: ClientEvent): Exclude<LogLevel, "off"> {
  if (event.type !== "error" && event.type !== "stream") return levels[event.type];
  if (event.kind === undefined) return "info";
  if (event.kind !== "abort") return "error";
  // Whoever leaves is not a failure, such as a closed tab; but a call that was sent may have been carried out.
  return event.type === "error" && event.outcome === "unknown" ? "warn" : "info";
}

/**
 * Returns the reporter of one call, unless nobody listens. What `onEvent` or a logger throws is dropped, and so is a body
 * that nests deeper than the stack: neither turns a response into an error.
 *
 * @param startedAt - When the call was made, by `performance.now()`.
 */
export function createReporter(
  { log = {}, onEvent }: ReportOptions,
  operation: string,
  clientReferenceId: string | undefined,
  secrets: readonly string[],
  startedAt: number = performance.now(),
) {
  const { logger = console, level = log.logger === undefined ? "off" : "warn" } = log;
  if (onEvent === undefined && level === "off") return undefined;
  const callId = createReference();
  const write = (at: Exclude<LogLevel, "off">, message: string, fields: () => object): void => {
    if (ranks[at] <= ranks[level]) quietly(() => logger[at](`serviceapi ${operation} ${message}`, fields()));
  };
  const writeBody = (direction: string, body: unknown): void => {
    // A gateway may echo a credential. The body itself is the caller's and must not change.
    const whole = () => JSON.parse(redact(JSON.stringify(body), secrets));
    write("debug", direction, () => ({
      callId,
      clientReferenceId,
      body: log.personalData ? whole() : maskPersonalData(body, secrets),
    }));
  };
  const report = (details: EventDetails): void => {
    const event: ClientEvent = { callId, operation, clientReferenceId, ...details };
    if (onEvent !== undefined) quietly(() => onEvent(event));
    const { type, operation: _, ...fields } = event;
    write(levelOf(event), type, () => fields);
  };
  return {
    report,
    request(attempt: number, { url, json, body }: { url: string; json: string; body: unknown }): void {
      const bytes = new TextEncoder().encode(json).byteLength;
      report({ type: "request", attempt, url: redact(url, secrets), bytes });
      writeBody("sends", body);
    },
    body: (body: unknown): void => writeBody("received", body),
    failed({ kind, outcome, attempts, requestId }: ServiceApiError): void {
      report({ type: "error", kind, outcome, requestId, attempts, duration: performance.now() - startedAt });
    },
  };
}

/** The string fields that say nothing about a person, in the form of a code. All others are masked, unknown ones included. */
const codes =
  /^(?:status(?:_?[cC]ode)?|event|response_status|accountStatus|consent|currency|airline_code|(?:fare|passenger)_type|flight_status)$/;
/** No sentence, and no number that could be a person's. */
const code = /^(?!(?:\D*\d){5})[\w.:-]{1,64}$/;
const references = /^(?:client_referenceId|trace_id)$/;
/** Visible ASCII without `@`. */
const reference = /^[!-?A-~]{1,64}$/;

/** Numbers that are counts and amounts; others may be a postal code, and are shown up to three digits, as a status is. */
const amounts = /^(?:count|sequence_no)$|(?:fare|price|amount|charges)$/;

/** Returns the form of a body for a log line: its shape, its plain fields, and the length of other strings. */
export function maskPersonalData(value: unknown, secrets: readonly string[] = []): unknown {
  return masked(value, "", redactor(secrets));
}

function masked(value: unknown, key: string, clean: (text: string) => string): unknown {
  if (typeof value === "string") {
    const isPlain = (codes.test(key) && code.test(value)) || (references.test(key) && reference.test(value));
    return isPlain ? clean(value) : `[${value.length} characters]`;
  }
  if (typeof value === "number") {
    const isSmall = Math.abs(value) < (amounts.test(key) ? 1e6 : 1e3);
    return isSmall && clean(String(value)) === String(value) ? value : "[number]";
  }
  if (Array.isArray(value)) return value.map((element) => masked(element, key, clean));
  if (!isObjectOrList(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [clean(maskName(name)), masked(field, name, clean)]);
  return Object.fromEntries(fields);
}
