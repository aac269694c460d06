import type { Issue } from "../../errors/base.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import type { AiEvent } from "../types.ts";
import { BodyReader, type ReadResult } from "./body-reader.ts";
import { Deadlines, type Limit } from "./deadlines.ts";
import { EventDecoder } from "./event-decoder.ts";
import type { StreamEnding } from "./stream-errors.ts";

/** Milliseconds for which the end of a body is awaited after `response_completed`. */
const drainTimeout = 100;

/**
 * The events of a response that has begun, taken one at a time. Bytes are read only when no event is left, so that the
 * sender is never ahead of the consumer by more than one chunk.
 */
export class OpenStream {
  readonly #call: StreamingResponse;
  readonly #body: BodyReader;
  readonly #deadlines: Deadlines;
  readonly #decoder: EventDecoder;
  #taken = 0;
  #isClosed = false;

  constructor(call: StreamingResponse) {
    this.#call = call;
    this.#body = new BodyReader(call.response.body);
    this.#deadlines = new Deadlines(call.options, call.startedAt);
    this.#decoder = new EventDecoder(call, this.#deadlines);
  }

  /** Set when the end is known; the events before it are still to be taken. */
  get ending(): StreamEnding | undefined {
    return this.#decoder.ending;
  }

  get warnings(): readonly Issue[] {
    return this.#decoder.warnings;
  }

  /** The maximum size of an event. */
  get maxEventBytes(): number {
    return this.#decoder.maxEventBytes;
  }

  /** Returns the next event, if one has been received. */
  take(): AiEvent | undefined {
    const { ready } = this.#decoder;
    const event = ready[this.#taken];
    if (event === undefined) return undefined;
    if (++this.#taken === ready.length) {
      ready.length = 0;
      this.#taken = 0;
    }
    return event;
  }

  /** Waits for the network until there is an event to take or the stream has ended. */
  async fill(): Promise<void> {
    const decoder = this.#decoder;
    let isLastLook = false;
    let now = performance.now();
    while (decoder.ready.length === 0 && decoder.ending === undefined) {
      this.#deadlines.hold(decoder.reorder.heldSince);
      const { limit, left } = this.#deadlines.next(now);
      // Data that is always there must not outrun these. What is missing may have come meanwhile: hence the last look.
      if (left <= 0 && (limit === "stream" || (limit !== "idle" && isLastLook))) {
        this.#timeOut(limit);
        this.#closeIfEnded();
        continue;
      }
      isLastLook = left <= 0;
      const result = await this.#body.read(Math.max(left, 0));
      const readAt = performance.now();
      this.#deadlines.waited(readAt - now);
      this.#process(result, limit);
      this.#closeIfEnded();
      if (decoder.ready.length > 0) return;
      now = performance.now();
      this.#deadlines.decoded(now - readAt);
    }
  }

  /** Ends the stream from this side, unless it has ended. Events that were received can still be taken. */
  abort(): void {
    this.#decoder.end({ end: "aborted" });
    this.#closeIfEnded();
  }

  #process(result: ReadResult, limit: Limit): void {
    switch (result.kind) {
      case "bytes":
        this.#deadlines.bytesReceived();
        this.#decoder.decode(result.bytes);
        break;
      case "end":
        this.#decoder.finish();
        break;
      case "broken":
        this.#decoder.finish(result.error);
        break;
      case "cancelled":
        this.#decoder.end({ end: "aborted" });
        break;
      case "timeout":
        this.#timeOut(limit);
    }
  }

  #timeOut(limit: Limit): void {
    if (limit === "hold") this.#decoder.reorder.giveUp();
    else this.#decoder.end({ end: "stalled", deadline: limit, timeout: this.#deadlines.lengths[limit] });
  }

  /**
   * Nothing is read after an end. After a complete response the connection serves the next call if the body ends in
   * time.
   */
  #closeIfEnded(): void {
    const { ending } = this.#decoder;
    if (ending === undefined || this.#isClosed) return;
    this.#isClosed = true;
    if (ending.end === "completed") {
      void this.#body.drain(drainTimeout, () => this.#call.close());
    } else {
      this.#body.cancel();
      this.#call.close();
    }
  }
}
