import type { EmulatedResponse } from "../http/messages.ts";

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

/** The watch over one request. */
export interface Observation {
  /** Called with the names of the rules that the request meets; `undefined` if it meets none. */
  meets(name: string | undefined): void;
  /** Called with the response. Returns the one to send: the same bytes at the same times. */
  isSent(response: EmulatedResponse): EmulatedResponse;
  /** Called if no response is sent, because the caller left, or because the emulator drops the connection. */
  isDropped(byCaller: boolean): void;
}

/** Watches an emulator, as the console does. */
export interface Watcher {
  /** Called with each request to the service. */
  observe(request: ReceivedRequest): Observation;
  /** Called when everything was forgotten. */
  cleared(): void;
}
