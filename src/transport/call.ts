import type { ValidationIssue } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { redactedRequestId } from "./errors/details.ts";
import { type AnyResponse, toResponse } from "./fetch.ts";

/** The result of `withResponse()`: the body with status, headers, attempts and warnings. */
export interface WithResponse<Body> {
  /** The body of the response, as `await` returns it. */
  readonly data: Body;
  /** The `Response` with status and headers. Its body has been read. */
  readonly response: Response;
  /** Number of requests that were sent. */
  readonly attempts: number;
  /** The `client_referenceId` that was sent. */
  readonly clientReferenceId: string | undefined;
  /** The ID that the service, or a gateway before it, gave the request (`x-request-id`, `cf-ray` …), if it has one. */
  readonly requestId: string | undefined;
  /** Differences of the response from the document that leave its essential fields usable (docs/assumptions.md, A4). */
  readonly warnings: readonly ValidationIssue[];
}

/**
 * The result of a call before somebody asks for its `Response`. The body is read and checked, or left to the receiver.
 */
export interface CallResult<Body = unknown> extends Omit<WithResponse<Body>, "response" | "requestId"> {
  readonly response: AnyResponse;
  /** The strings that must not be printed. */
  readonly secrets: readonly string[];
}

/** Form of a call's result: its body, which was read, or the bare response. */
type Mode = "body" | "response";

/** The form in which a response is read: that of whoever asks first, or the body once its headers have arrived. */
export interface Reading {
  mode: Mode | undefined;
}

/**
 * A call in progress. It is sent once, when it is made. Its response is read when it arrives, unless
 * `asResponse()` was called before.
 *
 * You may await the call itself later, but not what its methods return: a failure in between is not an unhandled
 * rejection, and the call rejects with it then. A call that you do not await does not end the process either; `onEvent`
 * and the log report its failure (`error`).
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
  readonly #settled: Promise<Settled<Body>>;
  readonly #reading: Reading;

  /** @internal */
  constructor(operation: string, running: Promise<CallResult<Body>>, reading: Reading) {
    this.#operation = operation;
    this.#settled = settle(running);
    this.#reading = reading;
  }

  /** Returns the body of the response together with status, headers, attempts and warnings. */
  withResponse(): Promise<WithResponse<Body>> {
    return this.#take("body", ({ secrets, response, ...result }) => {
      return { ...result, requestId: redactedRequestId(response, secrets), response: toResponse(response) };
    });
  }

  /**
   * Returns the bare `Response` with its body unread, for any final status but a redirect. The body is not checked, and
   * the deadline ends with the headers. Call it where the call is made: later, the body may have been read.
   */
  asResponse(): Promise<Response> {
    return this.#take("response", ({ response }) => toResponse(response));
  }

  then<A = Body, B = never>(
    onFulfilled?: ((body: Body) => A | PromiseLike<A>) | null,
    onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#take("body", ({ data }) => data).then(onFulfilled, onRejected);
  }

  catch<B = never>(onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Body | B> {
    return this.then(undefined, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<Body> {
    return this.then().finally(onFinally);
  }

  /** Returns the summary that `console.log` shows in Node, Deno and Bun. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `ApiCall { ${this.#operation}; await it for the response }`;
  }

  async #take<T>(mode: Mode, read: (result: CallResult<Body>) => T): Promise<T> {
    this.#reading.mode ??= mode;
    const chosen = this.#reading.mode;
    // The call is under way, and its result may still come.
    if (chosen !== mode)
      throw new ConfigurationError(taken[chosen], { operation: this.#operation, outcome: "unknown" });
    const settled = await this.#settled;
    if ("error" in settled) throw settled.error;
    return read(settled.result);
  }
}

/** Why another method of a call can do nothing, by the mode that was chosen. */
const taken: Readonly<Record<Mode, string>> = {
  body: "The body of this call has been read already. Call asResponse() where the call is made, and nothing else on the same call.",
  response: "The body of this call belongs to asResponse(). Make another call to have it parsed.",
};

/** The result of a call, or its error: no rejection, because a call may be awaited later than it fails. */
type Settled<Body> = { readonly result: CallResult<Body> } | { readonly error: unknown };

async function settle<Body>(running: Promise<CallResult<Body>>): Promise<Settled<Body>> {
  try {
    return { result: await running };
  } catch (error) {
    await undefined; // A call that fails at once is awaited by then.
    return { error: pointToCaller(error) };
  }
}

/**
 * Makes the error's stack show who awaits the call. After a network round trip the stack of an error no longer has the
 * caller in it; V8 follows the promises from here to the `await`, as long as each has one reaction. Costs nothing until
 * a call fails.
 */
function pointToCaller(error: unknown): unknown {
  try {
    const site: { stack?: unknown } = {};
    Error.captureStackTrace?.(site, settle);
    const stack = String(site.stack);
    const frames = stack.indexOf("\n");
    if (error instanceof Error && frames !== -1) error.stack = `${error.name}: ${error.message}${stack.slice(frames)}`;
  } catch {
    // An `Error.prepareStackTrace` of the application threw, or the error is frozen.
  }
  return error;
}
