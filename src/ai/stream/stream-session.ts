import { type Client, transportOf } from "../../client.ts";
import type { ServiceApiError } from "../../errors/base.ts";
import { AbortError } from "../../errors/request.ts";
import type { StreamOptions } from "../../options.ts";
import { jsonCopy } from "../../shared/json.ts";
import { loadParts } from "../../shared/load-parts.ts";
import type { CallResult } from "../../transport/call.ts";
import { callbackError, namingRequest, redactedRequestId } from "../../transport/errors/details.ts";
import { results } from "../../transport/read-response.ts";
import type { StreamingCall } from "../../transport/request.ts";
import type { RequestOf } from "../../transport/transport.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import { streamResponse } from "../operations.ts";
import type { AiEvent, AiResponse, ResponseCompleted, StreamResponseParams } from "../types.ts";
import type { OpenStream } from "./open-stream.ts";
import type { FailedEnding, StreamEnding, StreamState } from "./stream-errors.ts";

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
 * @returns The function that returns the checked copy, as the caller may change the object before the first pull, or throws the error of the check: a stream fails when it is read.
 */
export function deferOptions<Options extends StreamOptions | undefined>(check: () => Options): () => Options {
  try {
    const options = check();
    if (options?.extraBody !== undefined)
      Object.assign(options, { extraBody: jsonCopy(options.extraBody) ?? options.extraBody });
    return () => options;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** A response that is complete, whole or streamed to its end. */
export type CompletedResponse = Pick<CallResult<AiResponse>, "data" | "clientReferenceId" | "warnings">;

type Pulled = IteratorResult<AiEvent, undefined>;

/** The result of every pull after the end. */
const finished: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** The life of one stream, from the first pull to its one end, with a record of the events that have been read. */
export class StreamSession {
  ending: StreamEnding | undefined;
  call: StreamingCall | undefined;
  open: OpenStream | undefined;
  /** The number of events that were read; once the stream has ended, of those that were received. */
  events = 0;
  contextToken: string | undefined;
  /** The completed event, if it has been read. */
  response: ResponseCompleted | undefined;
  #chunks = "";
  #hasChunks = false;

  /** The last part that was asked of a relay. It settles when the callbacks of the relay have. */
  relaying: Promise<unknown> | undefined;
  /** Dropped once it is sent: hundreds of streams may be open. */
  #source: StreamSource | undefined;
  readonly #onEnd: StreamSource["onEnd"];
  #abortCall: ((reason: unknown) => void) | undefined;
  #aborted: { readonly reason: unknown } | undefined;
  /** The wait for the network that all pulls share. */
  #filling: Promise<void> | undefined;
  readonly #end = Promise.withResolvers<void>();
  /** Resolves when the stream has ended, in whichever way. */
  readonly whenEnded = this.#end.promise;
  #error: ServiceApiError | undefined;
  /** True once the error need not be thrown any more. */
  #isErrorKnown = false;

  constructor(source: StreamSource) {
    this.#source = source;
    this.#onEnd = source.onEnd;
  }

  get state(): StreamState {
    return this.ending?.state ?? (this.#source === undefined ? "streaming" : "idle");
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

  /** True if the completed text says something else than the chunks, white space aside. */
  get isRewritten(): boolean {
    if (!this.textMismatch || this.text.startsWith(this.#chunks)) return false;
    const [whole, chunks] = [this.text, this.#chunks].map((text) => text.replaceAll(/\s+/g, ""));
    return whole !== chunks;
  }

  /** The part of the completed text that goes beyond the chunks; empty if it differs otherwise. */
  get remainder(): string {
    return this.text.startsWith(this.#chunks) ? this.text.slice(this.#chunks.length) : "";
  }

  /** The error of a stream that did not complete. It is created on demand: most who leave a stream do not read it. */
  get error(): ServiceApiError | undefined {
    const { ending } = this;
    if (ending?.toError !== undefined) this.#error ??= this.#errorOf(ending);
    return this.#error;
  }

  /**
   * Returns the next event: at once if it has been received. The error of the stream is thrown once; after that, and
   * after every other end, there is no event.
   */
  next(): Promise<Pulled> {
    // Pulls that wait come first.
    const pulled = this.#filling === undefined ? this.#pull() : undefined;
    if (pulled !== undefined) return Promise.resolve(pulled);
    const next = this.#awaitNext();
    // One that nobody awaits must not end the process.
    next.catch(() => {});
    return next;
  }

  async #awaitNext(): Promise<Pulled> {
    for (;;) {
      await this.#fill();
      const pulled = this.#pull();
      if (pulled !== undefined) return pulled;
      if (this.ending === undefined) continue;
      if (this.error === undefined || this.#isErrorKnown) return finished;
      this.#isErrorKnown = true;
      throw this.error;
    }
  }

  /** Resolves when there is an event to read, and rejects with the error of a stream that has failed before one. */
  async ready(): Promise<void> {
    await this.#fill();
    if (!this.open?.hasEvent && this.error !== undefined) throw this.error;
  }

  /** Ends the stream from this side and closes the connection. */
  abort(reason?: unknown): void {
    if (this.ending !== undefined) {
      this.open?.drop();
      return;
    }
    this.#aborted = { reason };
    // While the request is on its way, the transport's own error says how far it had come.
    if (this.state === "streaming" && this.open === undefined) {
      this.#abortCall?.(reason);
      return;
    }
    const isSent = this.call !== undefined;
    const phase = isSent ? "stream" : "credentials";
    const ending: FailedEnding = {
      state: "aborted",
      happened: `the caller aborted the stream${isSent ? "" : " before it was sent"}.`,
      toError: (details) => new AbortError({ ...details, phase, reason }),
    };
    this.open?.end(ending);
    this.#recordRest();
    this.open?.drop();
    this.#finish(ending);
  }

  /** Ends the stream for a reader that left by `break`, `return` or `throw`: the error is not thrown to it. */
  async leave(): Promise<IteratorReturnResult<undefined>> {
    this.#isErrorKnown = true;
    this.abort();
    await this.whenEnded;
    return finished;
  }

  /** Ends the stream because its reader cannot pass it on, and returns the error. One that has failed stays as it is. */
  refuse(ending: FailedEnding): ServiceApiError {
    this.#isErrorKnown = true;
    const error = this.#errorOf(ending);
    if (this.error === undefined) this.#error = error;
    this.#finish(ending);
    // The turn of a response that was complete is taken back.
    if (this.response !== undefined) this.#onEnd?.(undefined);
    return error;
  }

  /** Waits for the network, until there is an event to read or the stream has failed. Those who wait then go on in order. */
  #fill(): Promise<void> {
    if (this.#filling !== undefined) return this.#filling;
    const filling = this.#receive();
    this.#filling = filling;
    filling.then(() => {
      this.#filling = undefined;
    });
    return filling;
  }

  async #receive(): Promise<void> {
    try {
      if (this.#source !== undefined) await this.#connect(this.#source);
      if (this.ending === undefined) await this.open?.receive();
    } catch (error) {
      const { call } = this;
      call?.scope.cancelAttempt();
      // Our code does not throw while it reads a response, but a caller's own `fetch` may return an invalid body.
      const failure = call === undefined ? (error as ServiceApiError) : callbackError(call, error);
      this.#finish({ state: AbortError.isInstance(failure) ? "aborted" : "failed", toError: () => failure });
    }
    const { hasEvent, ending } = this.open ?? {};
    if (!hasEvent && ending !== undefined) this.#finish(ending);
  }

  async #connect(source: StreamSource): Promise<void> {
    this.#source = undefined;
    // Before anything is sent: without it a response could not be read.
    const { OpenStream, firstValue } = await loadParts(import("./open-stream.ts"));
    this.call = await transportOf(source.client).open(streamResponse, source.request, {
      accept,
      parse: firstValue,
      onStart: (abort) => {
        this.#abortCall = abort;
        if (this.#aborted !== undefined) abort(this.#aborted.reason);
      },
    });
    this.#abortCall = undefined;
    const open = new OpenStream(this.call);
    this.open = open;
    // From here on an abort goes to the stream itself, also one that came too late for the call.
    const { scope } = this.call;
    scope.onCancel(() => {
      if (scope.cancellation?.by === "caller") this.abort(scope.cancellation.reason);
      else this.#expire(open);
    });
  }

  /** The time of the whole stream is up, perhaps while nobody reads it. */
  #expire(open: OpenStream): void {
    open.exceed("stream");
    this.#recordRest();
    if (open.ending !== undefined) this.#finish(open.ending);
  }

  /** Records what was received before the end, and may not be read any more. */
  #recordRest(): void {
    for (const event of this.open?.rest ?? []) {
      this.#record(event);
      if (event.event === "response_completed") this.#chunks = fullTextOf(event);
    }
  }

  /** Returns the next event that has been received. */
  #pull(): Pulled | undefined {
    const event = this.open?.next();
    if (event === undefined) return undefined;
    if (this.ending === undefined) this.#record(event);
    if (event.event === "response_completed") {
      this.response = event;
      const { call } = this;
      if (call !== undefined) results.set(event, { response: call.response, secrets: call.secrets });
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

  #errorOf({ toError, happened }: FailedEnding): ServiceApiError {
    const { call, text, contextToken, events, requestId } = this;
    const operation = streamResponse.name;
    const read = `${events} ${events === 1 ? "event" : "events"}`;
    const isKept = text !== "" || contextToken !== undefined;
    const kept = isKept ? " `partialText` and `contextToken` hold what was received." : "";
    const details = {
      message: `${operation}: after ${read}, ${happened}${kept}${namingRequest(requestId)}`,
      operation,
      clientReferenceId: call?.clientReferenceId,
      attempts: call?.progress.attempts,
      requestId,
      outcome: call === undefined ? ("notSent" as const) : ("unknown" as const),
      partialText: text,
      contextToken,
      events,
    };
    return toError(details, this.#hasChunks);
  }

  /**
   * The one end. The listener and the timers go, and whoever waits is called. The connection is closed, unless the body
   * of a response that is complete can be drained at once.
   */
  #finish(ending: StreamEnding): void {
    if (this.ending !== undefined) return;
    const { call, open, events, response } = this;
    this.#source = undefined;
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
    const { clientReferenceId } = call ?? {};
    this.#end.resolve();
    this.#onEnd?.(response && { data: response, clientReferenceId, warnings: open?.warnings ?? [] });
  }
}
