import { type Client, internalsOf } from "../../client.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import type { StreamOptions } from "../../options.ts";
import { loadParts } from "../../shared/load-parts.ts";
import type { CallResult } from "../../transport/call.ts";
import { callbackError } from "../../transport/errors/details.ts";
import type { StreamingCall } from "../../transport/request.ts";
import { redactedRequestId } from "../../transport/request-id.ts";
import type { RequestOf } from "../../transport/transport.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import { streamResponse } from "../operations.ts";
import type { AiEvent, AiResponse, ResponseCompleted, StreamResponseParams } from "../types.ts";
import type { OpenStream } from "./open-stream.ts";
import { type FailedEnding, type StreamEnding, type StreamState, streamError } from "./stream-errors.ts";

/** The framings that are read (docs/assumptions.md, I1). */
const accept = "text/event-stream, application/x-ndjson, application/json";

export interface StreamSource {
  readonly client: Client;
  /** The request, or the function that makes it at the first pull. */
  readonly request: RequestOf<StreamResponseParams>;
  /** Called when the stream has ended, with the response if it completed. */
  readonly onEnd?: ((response: CompletedResponse | undefined) => void) | undefined;
}

/**
 * Checks the options of a stream at the call, although the request is sent at the first pull.
 *
 * @returns The function that returns the checked copy, or throws the error of the check: a stream fails when it is read.
 */
export function deferOptions<Options extends StreamOptions | undefined>(check: () => Options): () => Options {
  try {
    const options = check();
    if (options?.extraBody !== undefined) Object.assign(options, { extraBody: copyOf(options.extraBody) });
    return () => options;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** Returns the copy that is sent: the caller may change the object before the first pull. What has none is refused then. */
export function copyOf<T>(value: T): T {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return value;
  }
}

/** A response that is complete, whole or streamed to its end. */
export type CompletedResponse = Pick<CallResult<AiResponse>, "data" | "clientReferenceId" | "warnings">;

type Pulled = IteratorResult<AiEvent, undefined>;

/** The result of every pull after the end. */
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The life of one stream, from the first pull to its one end, with a record of the events that have been read. */
export class StreamSession {
  state: StreamState = "idle";
  ending: StreamEnding | undefined;
  call: StreamingCall | undefined;
  open: OpenStream | undefined;
  /** The number of events that were read, after an abort also of those that were received. */
  events = 0;
  contextToken: string | undefined;
  /** The completed event, if it has been read. */
  response: ResponseCompleted | undefined;
  #chunks = "";
  #hasChunks = false;

  /** Dropped once it is sent: hundreds of streams may be open. */
  #source: Omit<StreamSource, "onEnd"> | undefined;
  readonly #onEnd: StreamSource["onEnd"];
  #abortCall: ((reason: unknown) => void) | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  /** The last of the pulls that wait for the network. */
  #lastPull: Promise<unknown> | undefined;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when the stream has ended, in whichever way. */
  readonly whenEnded = this.#end.promise;
  #error: ServiceApiError | undefined;
  /** True once the error need not be thrown any more. */
  #isErrorKnown = false;

  constructor({ client, request, onEnd }: StreamSource) {
    this.#source = { client, request };
    this.#onEnd = onEnd;
  }

  /** The ID that the service, or a gateway before it, gave the request, if it has one. */
  get requestId(): string | undefined {
    return this.call && redactedRequestId(this.call.response, this.call.secrets);
  }

  /** The text so far; the whole text once it has completed. */
  get text(): string {
    return this.response === undefined ? this.#chunks : fullTextOf(this.response);
  }

  // Compared on demand: joining thousands of chunks costs as much as reading them.

  /** True if the completed text, which is authoritative (docs/assumptions.md, I3), differs from the chunks. */
  get textMismatch(): boolean {
    return this.response !== undefined && this.#hasChunks && this.#chunks !== this.text;
  }

  /** The part of the completed text that goes beyond the chunks; empty if it differs otherwise. */
  get remainder(): string {
    return this.text.startsWith(this.#chunks) ? this.text.slice(this.#chunks.length) : "";
  }

  /** The error of a stream that did not complete. It is created on demand: most who leave a stream do not read it. */
  get error(): ServiceApiError | undefined {
    const { ending } = this;
    if (ending !== undefined && ending.state !== "completed") this.#error ??= this.#errorOf(ending);
    return this.#error;
  }

  /**
   * Returns the next event: at once if it has been received. Pulls at the same time queue up. The error of the stream
   * is thrown once; after that, and after every other end, there is no event.
   */
  next(): Promise<Pulled> {
    const event = this.#lastPull === undefined && this.ending === undefined ? this.open?.next() : undefined;
    if (event !== undefined) return Promise.resolve(this.#deliver(event));
    return this.#inTurn(async () => {
      await this.#fill();
      const event = this.ending !== undefined ? undefined : this.open?.next();
      if (event !== undefined) return this.#deliver(event);
      if (this.error === undefined || this.#isErrorKnown) return finished;
      this.#isErrorKnown = true;
      throw this.error;
    });
  }

  /** Resolves when there is an event to read, and rejects with the error of a stream that has failed before one. */
  ready(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#fill();
      if (this.error !== undefined) throw this.error;
    });
  }

  #inTurn<T>(pull: () => Promise<T>): Promise<T> {
    const pulled = this.#lastPull === undefined ? pull() : this.#lastPull.then(pull, pull);
    this.#lastPull = pulled;
    const settled = () => {
      if (this.#lastPull === pulled) this.#lastPull = undefined;
    };
    pulled.then(settled, settled);
    return pulled;
  }

  /** Ends the stream from this side and closes the connection. */
  abort(reason?: unknown): void {
    if (this.ending !== undefined) return;
    this.#aborted = { reason };
    // While the request is on its way, the transport's own error says how far it had come.
    if (this.state === "streaming" && this.open === undefined) {
      this.#abortCall?.(reason);
      return;
    }
    const ending: FailedEnding = { state: "aborted", reason };
    this.open?.end(ending);
    for (let event = this.open?.next(); event !== undefined; event = this.open?.next()) {
      this.#record(event);
      // It will not be read any more.
      if (event.event === "response_completed") this.#chunks = fullTextOf(event);
    }
    this.#finish(ending);
  }

  /** Ends the stream for a reader that left by `break`, `return` or `throw`: the error is not thrown to it. */
  async leave(): Promise<IteratorReturnResult<undefined>> {
    this.#isErrorKnown = true;
    this.abort();
    await this.whenEnded;
    return finished;
  }

  /** Ends the stream because its reader cannot pass it on, and returns the error. One that has ended stays as it is. */
  refuse(ending: FailedEnding): ServiceApiError {
    this.#isErrorKnown = true;
    const error = this.#errorOf(ending);
    if (this.ending === undefined) {
      this.#error = error;
      this.#finish(ending);
    }
    return error;
  }

  /** Waits for the network, until there is an event to read or the stream has failed. */
  async #fill(): Promise<void> {
    try {
      if (this.#source !== undefined) await this.#connect(this.#source);
      if (this.ending === undefined) await this.open?.receive();
    } catch (error) {
      const { call } = this;
      if (this.ending !== undefined) throw error;
      call?.scope.cancelAttempt();
      // Our code does not throw while it reads a response, but a caller's own `fetch` may return an invalid body.
      const failure = call === undefined ? (error as ServiceApiError) : callbackError(call, error);
      this.#finish({ state: AbortError.isInstance(failure) ? "aborted" : "failed", error: failure });
    }
    const { hasEvent, ending } = this.open ?? {};
    if (this.ending === undefined && !hasEvent && ending !== undefined) this.#finish(ending);
  }

  async #connect(source: Omit<StreamSource, "onEnd">): Promise<void> {
    this.state = "streaming";
    this.#source = undefined;
    // Before anything is sent: without it a response could not be read.
    const { OpenStream, firstValue } = await loadParts(import("./open-stream.ts"));
    this.call = await internalsOf(source.client).transport.open(streamResponse, source.request, {
      accept,
      parse: firstValue,
      onStart: (abort) => {
        this.#abortCall = abort;
        if (this.#aborted !== undefined) abort(this.#aborted.reason);
      },
    });
    this.#abortCall = undefined;
    this.open = new OpenStream(this.call);
    // From here on an abort goes to the stream itself, also one that came too late for the call.
    const { scope } = this.call;
    scope.onCancel(() => this.abort(scope.cancellation?.by === "caller" ? scope.cancellation.reason : undefined));
  }

  #deliver(event: AiEvent): Pulled {
    this.#record(event);
    if (event.event === "response_completed") {
      this.response = event;
      this.#finish({ state: "completed" });
    }
    return { done: false, value: event };
  }

  #record(event: AiEvent): void {
    this.events++;
    if (event.event === "response_output") {
      this.#hasChunks = true;
      // Text that is longer than the largest event cannot be completed, because `response_completed` holds all of it.
      this.#chunks += chunkOf(event).slice(0, (this.open?.maxEventBytes ?? 0) - this.#chunks.length);
    } else if ("context_token" in event && typeof event.context_token === "string") {
      this.contextToken = event.context_token;
    }
  }

  #errorOf(ending: FailedEnding): ServiceApiError {
    if ("error" in ending) return ending.error;
    const { call, text, contextToken, events, requestId } = this;
    const details = {
      operation: streamResponse.name,
      clientReferenceId: call?.clientReferenceId,
      attempts: call?.progress.attempts,
      requestId,
      outcome: call === undefined ? ("notSent" as const) : ("unknown" as const),
      partialText: text,
      contextToken,
      events,
    };
    return streamError(ending, details, this.#hasChunks || contextToken !== undefined);
  }

  /**
   * At every end the listener and the timers go, and whoever waits is called. The connection is closed, unless the body of
   * a response that is complete can be drained at once.
   */
  #finish(ending: StreamEnding): void {
    const { call, open, events, response } = this;
    this.#source = undefined;
    this.state = ending.state;
    this.ending = ending;
    open?.end(ending);
    call?.scope.close();
    call?.reporter?.report({
      type: "stream",
      end: ending.state,
      events,
      duration: performance.now() - call.startedAt,
      kind: this.error?.kind,
      outcome: this.error?.outcome,
      requestId: this.requestId,
    });
    this.#end.resolve();
    const { clientReferenceId } = call ?? {};
    this.#onEnd?.(response && { data: response, clientReferenceId, warnings: open?.warnings ?? [] });
  }
}
