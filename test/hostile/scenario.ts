import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { ClientOptions } from "../../src/index.ts";
import type { RawRequest } from "../support/raw-http.ts";
import type { OperationName } from "./program/operations.ts";

/** The behaviour of a server, and how each operation must end. */
export interface Scenario {
  readonly name: string;
  /** Called with each request that has arrived whole. */
  readonly answer?: (exchange: Exchange) => void;
  /** Called with each connection, in place of `answer`. */
  readonly accept?: (socket: Socket, good: GoodResponse) => void;
  /** Called with each request over HTTP/2, in place of `answer`. */
  readonly answer2?: (stream: ServerHttp2Stream, good: GoodResponse, nth: number) => void;
  /** HTTPS, with the certificate of this name. `accept` gets the connection before its handshake. */
  readonly certificate?: "trusted" | "expired" | "otherName" | "selfSigned";
  /** The server has stopped listening before the call. */
  readonly isClosed?: boolean;
  readonly expected: Row;
  /** Results of runtimes that cannot do what the others do, by the beginning of their names. */
  readonly except?: Readonly<Record<string, Partial<Row>>>;
  /** The results that a runtime has now and then instead, when a race inside it ends the other way. */
  readonly rare?: Readonly<Record<string, readonly Partial<Row>[]>>;
  /** Runtimes that can play it, by the beginning of their names; all of them by default. */
  readonly runtimes?: readonly string[];
  /** Operations that the scenario is about; all of them by default. */
  readonly only?: readonly OperationName[];
  /** Options of the client; durations in milliseconds. */
  readonly options?: Pick<ClientOptions, "headers" | "timeout" | "maxRetries" | "maxResponseBytes" | "stream">;
  /** The call takes as long as its deadlines, and costs nothing meanwhile. */
  readonly isWaiting?: boolean;
  /** Number of calls of one client; the last is judged, and those before must succeed. */
  readonly calls?: number;
  /** Number of bytes by which the request is made longer. */
  readonly padding?: number;
}

/** A request, and the connection that it came on. */
export interface Exchange {
  readonly socket: Socket;
  readonly request: RawRequest;
  /** Which request of the call it is, counted from 1. */
  readonly nth: number;
  readonly good: GoodResponse;
  /** URL of a server that must not receive anything. */
  readonly elsewhere: string;
}

/** The response of a service that works. */
export interface GoodResponse {
  readonly operation: OperationName;
  readonly type: string;
  readonly body: string;
}

/**
 * The result of each class of operations, in one line as `summary` of test/runtimes writes it: the error with its
 * outcome and detail, the number of attempts, and the number of requests of which the server received a byte.
 */
export interface Row {
  /** Of `findVpas`, `fareQuote` and `fareRule`. */
  readonly safe: string;
  /** Of `createResponse`, and of `stream` unless that has its own. */
  readonly ifNotProcessed: string;
  /** Of `book`. */
  readonly never: string;
  readonly stream?: string;
}
