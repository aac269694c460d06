import type { Issue } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";

/** What `withResponse()` gives besides the body. */
export interface WithResponse<Body> {
  /** The answer's body, as `await` gives it. */
  readonly data: Body;
  /** Status and headers. Its body has been read. */
  readonly response: Response;
  /** How many requests were sent. */
  readonly attempts: number;
  /** The `client_referenceId` that was sent. */
  readonly clientReferenceId: string | undefined;
  /** The ID that the service, or a gateway before it, gave the request (`x-request-id`, `cf-ray` …), if it has one. */
  readonly requestId: string | undefined;
  /** Where the answer differs from the document without harm to what was asked for (docs/assumptions.md, A4). */
  readonly warnings: readonly Issue[];
}

/** Whether the caller wants the body checked and parsed, the bare response, or a stream's body to read by itself. */
export type Want = "body" | "response" | "stream";

/** Asks what the caller wants; a promise while that is not decided. */
export type AskWant = () => Want | Promise<Want>;

/**
 * A call on its way. It is sent when it is made, once; how its answer is read is decided by what is asked of it first.
 *
 * A call may be awaited later: a failure in between is no unhandled rejection, and the call rejects with it then. A call that you
 * do not await does not end the process either: `onEvent` and the log are told of its failure (`error`) if it was sent, and of
 * what was refused before that you learn by awaiting it.
 *
 * @example
 * ```ts
 * const quote = await api.flights.fareQuote({ trace_id, token });
 * const { data, attempts, warnings } = await api.flights.fareQuote({ trace_id, token }).withResponse();
 * const response = await api.flights.fareQuote({ trace_id, token }).asResponse();
 * ```
 */
export class ApiCall<Body> implements Promise<Body> {
  readonly [Symbol.toStringTag] = "ApiCall";
  readonly #operation: string;
  readonly #answer: Promise<WithResponse<Body>>;
  readonly #decide: (want: Want) => void;
  #want: Want | undefined;

  /** @internal */
  constructor(operation: string, run: (want: AskWant) => Promise<WithResponse<Body>>) {
    this.#operation = operation;
    const { promise, resolve } = withResolvers<Want>();
    this.#decide = resolve;
    const site = callSite();
    this.#answer = run(() => this.#want ?? promise).catch((error) => {
      throw pointTo(site, error);
    });
    // A call that is made now and awaited later must not be an unhandled rejection in between.
    this.#answer.catch(() => {});
  }

  /** The answer's body together with status, headers, attempts and warnings. */
  withResponse(): Promise<WithResponse<Body>> {
    return this.#take("body", "asResponse() has taken the body of this call; make another call to have it parsed.");
  }

  /**
   * The bare `Response`, body unread, for any final status but a redirect: nothing in the body is checked, and the
   * deadline ends with the headers.
   */
  async asResponse(): Promise<Response> {
    const answer = await this.#take(
      "response",
      "This call's body has been read already; call asResponse() first and alone.",
    );
    return answer.response;
  }

  then<A = Body, B = never>(
    onFulfilled?: ((body: Body) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then((answer) => answer.data)
      .then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Body | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Body> {
    return this.then().finally(onFinally);
  }

  /** What `console.log` shows in Node, Deno and Bun of a call that was not awaited. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ApiCall { ${this.#operation}; await it for the answer }`;
  }

  #take(want: Want, refusal: string): Promise<WithResponse<Body>> {
    this.#want ??= want;
    if (this.#want !== want) return Promise.reject(new ConfigurationError(refusal));
    this.#decide(want);
    return this.#answer;
  }
}

/** Where a call is made, written out only when it is asked for; nothing where the runtime cannot tell. */
interface CallSite {
  readonly stack?: string;
}

function callSite(): CallSite {
  const site = {};
  Error.captureStackTrace?.(site, ApiCall);
  return site;
}

/**
 * An error that shows where the call was made. What is thrown once the answer is there knows nothing of the caller, and
 * no runtime finds him through an object that is awaited without being a promise of its own.
 */
function pointTo({ stack = "" }: CallSite, error: unknown): unknown {
  const frames = stack.indexOf("\n");
  if (error instanceof Error && frames !== -1) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  return error;
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((take) => {
    resolve = take;
  });
  return { promise, resolve };
}
