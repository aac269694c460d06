/** The lowest level that is written; `off` writes nothing. */
export type LogLevel = "off" | "error" | "warn" | "info" | "debug";

/** Where log lines go. The console is one; so are pino, winston and consola. */
export interface Logger {
  error(message: string, fields?: object): void;
  warn(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  debug(message: string, fields?: object): void;
}

/** What `onEvent` is told of. Names, durations and sizes; never a body, a header or a credential. */
export type ClientEvent = {
  readonly operation: string;
  readonly clientReferenceId: string | undefined;
} & (
  | { readonly type: "request"; readonly attempt: number; readonly bytes: number }
  | { readonly type: "retry"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  | {
      readonly type: "response";
      readonly attempt: number;
      readonly httpStatus: number;
      readonly durationMs: number;
      /** Bytes of the decoded body; absent where it was not read. */
      readonly bytes?: number;
    }
  | {
      readonly type: "error";
      readonly kind: string;
      readonly outcome: string;
      readonly attempts: number;
      readonly durationMs: number;
    }
  /** The answer differs from the document in places that nobody came for (policy 13). */
  | { readonly type: "drift"; readonly paths: readonly string[] }
  | {
      readonly type: "stream";
      readonly end: "completed" | "failed" | "truncated" | "stalled" | "aborted";
      readonly events: number;
      readonly durationMs: number;
    }
);
