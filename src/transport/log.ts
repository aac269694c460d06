import type { ServiceApiError } from "../errors/base.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { maskPersonalData, redact } from "./redact.ts";

/** The lowest level that is written; `off` writes nothing. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** Where log lines go. The console is one; so are pino, winston and consola. */
export interface Logger {
  /** Writes a line at level `error`. */
  error(message: string, fields?: object): void;
  /** Writes a line at level `warn`. */
  warn(message: string, fields?: object): void;
  /** Writes a line at level `info`. */
  info(message: string, fields?: object): void;
  /** Writes a line at level `debug`. */
  debug(message: string, fields?: object): void;
}

/** What `onEvent` is told of. Names, durations and sizes; never a body, a header or a credential. */
export type ClientEvent = {
  /** The operation that was called, such as `flights.book`. */
  readonly operation: string;
  /** The `client_referenceId` of the call; undefined if its operation sends none. */
  readonly clientReferenceId: string | undefined;
} & (
  | {
      readonly type: "request";
      /** Number of the attempt, from 1. */
      readonly attempt: number;
      /** Bytes of the body in UTF-8. */
      readonly bytes: number;
    }
  | {
      readonly type: "retry";
      /** Number of the attempt that failed, from 1. */
      readonly attempt: number;
      /** Milliseconds until the next attempt. */
      readonly delayMs: number;
      /** `kind` of the error that is retried. */
      readonly reason: string;
    }
  | {
      readonly type: "response";
      /** Number of the attempt, from 1. */
      readonly attempt: number;
      /** HTTP status of the response. */
      readonly httpStatus: number;
      /** Until the body was read, or, where it is somebody else's to read (`asResponse()`, a stream), the headers were. */
      readonly durationMs: number;
      /** Bytes of the body after decompression; absent where it is somebody else's to read. */
      readonly bytes?: number;
    }
  | {
      readonly type: "error";
      /** `kind` of the error. */
      readonly kind: string;
      /** `outcome` of the error. */
      readonly outcome: string;
      /** Number of requests that were sent. */
      readonly attempts: number;
      /** Milliseconds since the call was made. */
      readonly durationMs: number;
    }
  /** The answer differs from the document in places that nobody came for (docs/assumptions.md, A4). */
  | {
      readonly type: "drift";
      /** The fields that differ. */
      readonly paths: readonly string[];
    }
  | {
      readonly type: "stream";
      /** The way in which the stream ended. */
      readonly end: "completed" | "failed" | "truncated" | "stalled" | "aborted";
      /** Number of events that were received. */
      readonly events: number;
      /** Milliseconds since the call was made. */
      readonly durationMs: number;
    }
);

/** A {@link ClientEvent} without what every event has. */
export type EventDetails = DistributiveOmit<ClientEvent, "operation" | "clientReferenceId">;

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** What a call tells of itself while it runs. */
export interface Reporter {
  report(event: EventDetails): void;
  request(attempt: number, json: string, body: unknown): void;
  body(body: unknown): void;
  failed(error: ServiceApiError): void;
}

/** What decides how much is told, and to whom. */
export interface LogOptions {
  readonly logger?: Logger | undefined;
  readonly logLevel?: LogLevel | undefined;
  readonly logPersonalData?: boolean | undefined;
  readonly onEvent?: ((event: ClientEvent) => void) | undefined;
}

const ranks: Record<LogLevel, number> = { off: 0, error: 1, warn: 2, info: 3, debug: 4 };

const levels: Record<ClientEvent["type"], Exclude<LogLevel, "off">> = {
  request: "debug",
  response: "info",
  retry: "warn",
  drift: "warn",
  error: "error",
  stream: "info",
};

/** Tells `onEvent` and the log of one call. Neither can disturb it: what they throw is dropped. */
export function createReporter(
  options: LogOptions,
  operation: string,
  clientReferenceId: string | undefined,
  secrets: readonly string[] = [],
): Reporter {
  const { onEvent } = options;
  const level = options.logLevel ?? (options.logger === undefined ? "off" : "warn");
  const logger: Logger = options.logger ?? console;
  const startedAt = performance.now();
  let attempts = 0;

  const write = (at: Exclude<LogLevel, "off">, message: string, fields: () => object): void => {
    if (ranks[at] <= ranks[level]) quietly(() => logger[at](`serviceapi ${operation} ${message}`, fields()));
  };
  const writeBody = (direction: string, body: unknown): void => {
    // A gateway may echo a credential; the body itself is the caller's and stays as it came.
    const whole = () => JSON.parse(redact(JSON.stringify(body), secrets));
    write("debug", direction, () => ({
      clientReferenceId,
      body: options.logPersonalData ? whole() : maskPersonalData(body, secrets),
    }));
  };
  const report = (details: EventDetails): void => {
    if (onEvent === undefined && level === "off") return;
    const event: ClientEvent = { operation, clientReferenceId, ...details };
    if (onEvent !== undefined) quietly(() => onEvent(event));
    const { type, operation: _, ...fields } = event;
    write(levels[type], type, () => fields);
  };
  return {
    report,
    request(attempt, json, body) {
      attempts = attempt;
      if (onEvent !== undefined || level !== "off") report({ type: "request", attempt, bytes: byteLength(json) });
      writeBody("sends", body);
    },
    body: (body) => writeBody("received", body),
    failed({ kind, outcome }) {
      report({ type: "error", kind, outcome, attempts, durationMs: performance.now() - startedAt });
    },
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}

function quietly(tell: () => unknown): void {
  try {
    ignoreRejection(tell());
  } catch {
    // A logger that throws, or a body that nests deeper than the stack, must not turn a response into an error.
  }
}
