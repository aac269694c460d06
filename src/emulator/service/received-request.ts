/** A request as the emulator received it. */
export interface ReceivedRequest {
  /** The operation, such as `flights.book`; `undefined` if the path belongs to no operation. */
  readonly operation: string | undefined;
  /** The HTTP method. */
  readonly method: string;
  /** The path of the URL, without the query. */
  readonly path: string;
  /** The headers by their lower-case names, without the client secret. Other credentials, such as `authorization`, read `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the string if the body is not JSON. */
  readonly body: unknown;
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly receivedAt: number;
}
