/**
 * A `fetch` of this library may offer the transport a plainer way, under this key: a response whose bytes the transport
 * reads without a `ReadableStream`. Making a `Response` costs more than all else that is done with a small one.
 */
export const directFetch: unique symbol = Symbol.for("serviceapi.directFetch");

/**
 * Sends one request, and resolves with a response that is not a `Response` yet.
 *
 * @param mayReuse - Whether a connection that was used before will do. A request that must be sent once gets its own.
 */
export type DirectFetch = (url: string, init: DirectRequest, mayReuse: boolean) => Promise<DirectResponse>;

/** A request of the transport. */
export interface DirectRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null;
}

/** The headers of a response, as the transport reads them. `Headers` is one. */
export interface ResponseHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
}

/** The parts of a response that the transport reads before its body. */
export interface ResponseHead {
  readonly status: number;
  readonly type: ResponseType;
  readonly redirected: boolean;
  readonly url: string;
  readonly headers: ResponseHeaders;
}

/** A response that becomes a `Response` when somebody asks for one. */
export interface DirectResponse extends ResponseHead {
  readonly body: DirectBody | null;
  /** Returns the same `Response` each time. Its body is unread if this body is. */
  toResponse(): Response;
}

/** The body of a {@link DirectResponse}. */
export interface DirectBody {
  /**
   * Passes on each chunk, decompressed, until `onChunk` returns false, which ends the connection.
   * Rejects if the body breaks off, or the request's signal is aborted.
   */
  read(onChunk: (chunk: Uint8Array) => boolean): Promise<void>;
  /** Ends the connection. */
  cancel(): Promise<void>;
}

/** A response as `fetch` returned it. */
export type AnyResponse = Response | DirectResponse;

/** Returns the `Response` that a user gets. */
export function toResponse(response: AnyResponse): Response {
  return "toResponse" in response ? response.toResponse() : response;
}
