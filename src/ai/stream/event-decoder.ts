import { defaults } from "../../defaults.ts";
import type { Issue, ServiceApiError } from "../../errors/base.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import { framingFor } from "../framing/detect.ts";
import { type Frame, type Framing, FramingError, type FramingSink } from "../framing/frame.ts";
import { InvalidUtf8, Utf8Decoder } from "../framing/utf8.ts";
import type { AiEvent } from "../types.ts";
import { ByteSource } from "./body-reader.ts";
import { EventOrder } from "./event-order.ts";
import { readFrame } from "./parse-event.ts";
import { ChunkOrder, type ChunkSink } from "./reorder-buffer.ts";
import { Deadlines, type StreamDeadline } from "./timeouts.ts";

/** How a stream ended: one of its five endings (docs/assumptions.md, I4), or a response that is not a stream. */
export type Ending =
  | { readonly end: "completed" }
  | { readonly end: "failed"; readonly refusal: ServiceApiError }
  | { readonly end: "damaged"; readonly why: string; readonly body: unknown }
  | { readonly end: "tooLarge"; readonly limit: number }
  | { readonly end: "truncated"; readonly cause?: Error | undefined }
  | { readonly end: "stalled"; readonly deadline: StreamDeadline; readonly timeout: number }
  | { readonly end: "aborted" }
  | { readonly end: "refused"; readonly error: ServiceApiError };

const mostWarnings = 100;
const none: readonly Issue[] = [];
/** Milliseconds for which the end of a body is awaited after `response_completed`. */
const patience = 100;

/**
 * The events of one open answer, in order, taken one at a time. Bytes are read only when no event is left, so the sender
 * is never drained ahead of the consumer by more than one chunk.
 */
export class EventFeed implements FramingSink, ChunkSink {
  /** Set as soon as the end is known; the events before it are still to be taken. */
  ending: Ending | undefined;
  /** What differed from the document without harm. */
  warnings: readonly Issue[] = none;
  readonly #call: StreamingResponse;
  readonly #source: ByteSource;
  readonly #utf8 = new Utf8Decoder();
  readonly #framing: Framing;
  readonly #order: ChunkOrder;
  readonly #eventOrder = new EventOrder();
  readonly #deadlines: Deadlines;
  readonly #maxEventBytes: number;
  #drifted: Set<string> | undefined;
  #queue: AiEvent[] = [];
  #taken = 0;
  #isFirst = true;
  #bodyEnded = false;

  constructor(call: StreamingResponse) {
    const { options, response } = call;
    this.#call = call;
    this.#maxEventBytes = options.maxEventBytes ?? defaults.maxEventBytes;
    this.#source = new ByteSource(response.body);
    this.#deadlines = new Deadlines(options, call.startedAt);
    this.#order = new ChunkOrder(this, this.#deadlines);
    this.#framing = framingFor(response.headers.get("content-type"), this.#maxEventBytes, this);
  }

  /** The next event that is here already. */
  take(): AiEvent | undefined {
    if (this.#taken === this.#queue.length) return undefined;
    const event = this.#queue[this.#taken++];
    if (this.#taken === this.#queue.length) {
      this.#queue = [];
      this.#taken = 0;
    }
    return event;
  }

  /** Waits for the network until there is an event to take or the stream has ended. */
  async fill(): Promise<void> {
    while (this.#queue.length === 0 && this.ending === undefined) {
      this.#deadlines.hold(this.#order.heldSince, this.#order.mayBeStart);
      const startedAt = performance.now();
      const { limit, left } = this.#deadlines.next(startedAt);
      // The only deadline that runs by the clock: data that is always there must not outrun it.
      if (limit === "stream" && left <= 0) {
        this.#end({ end: "stalled", deadline: limit, timeout: this.#deadlines.lengths[limit] });
        return;
      }
      const arrival = await this.#source.wait(Math.max(left, 0));
      this.#deadlines.waited(performance.now() - startedAt);
      if (arrival.kind === "bytes") this.#onBytes(arrival.bytes);
      else if (arrival.kind === "end") this.#onBodyEnd();
      else if (arrival.kind === "broken") this.#onBodyEnd(arrival.error);
      else if (arrival.kind === "cancelled") this.#end({ end: "aborted" });
      else if (limit === "hold") this.#order.giveUpOldest();
      else this.#end({ end: "stalled", deadline: limit, timeout: this.#deadlines.lengths[limit] });
    }
  }

  /** Ends the stream from this side, unless it has ended. */
  abort(): void {
    this.#end({ end: "aborted" });
  }

  #onBytes(bytes: Uint8Array): void {
    this.#deadlines.bytesCame();
    this.#guard(() => {
      try {
        this.#framing.push(this.#utf8.decode(bytes));
      } catch (error) {
        if (!(error instanceof InvalidUtf8)) throw error;
        this.#framing.push(error.before);
        this.#end({ end: "damaged", why: "it is not UTF-8", body: undefined });
      }
    });
  }

  #onBodyEnd(error?: unknown): void {
    this.#bodyEnded = true;
    this.#guard(() => this.#framing.end());
    this.#end({ end: "truncated", cause: this.#call.summarize(error) });
  }

  /** Turns what a framing throws into an ending. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof FramingError)) throw error;
      this.#end(this.#explain(error));
    }
  }

  #explain({ reason, text }: FramingError): Ending {
    if (reason === "tooLarge") return { end: "tooLarge", limit: this.#maxEventBytes };
    if (reason === "damagedEvent") return { end: "damaged", why: "it is not JSON", body: this.#call.redact(text) };
    return { end: "refused", error: this.#call.unexpected(reason, text) };
  }

  onFrame(frame: Frame): void {
    if (this.ending !== undefined) return;
    const validation = this.#call.options.validation?.response ?? "essential";
    const reading = readFrame(frame, this.#isFirst, validation);
    this.#isFirst = false;
    switch (reading.kind) {
      case "event":
        if (reading.issues.length > 0) this.#onDrift(reading.event, reading.issues);
        if (validation !== "off" && !reading.isWhole) this.#noteOrder(reading.event);
        this.#onEvent(reading.event);
        break;
      case "failed":
        this.#end({ end: "failed", refusal: this.#call.refusal(reading.body) });
        break;
      case "refused":
        this.#end({ end: "refused", error: this.#call.refusal(reading.body) });
        break;
      case "damaged":
        // The last event of a body that was cut is no damage: the cut is reported.
        if (this.#bodyEnded && reading.notJson) break;
        this.#end({ end: "damaged", why: reading.why, body: this.#call.redact(reading.body) });
    }
  }

  onDone(): void {
    this.#end({ end: "truncated" });
  }

  deliver(event: AiEvent): void {
    this.#queue.push(event);
  }

  #onEvent(event: AiEvent): void {
    this.#deadlines.eventCame();
    if (event.event === "response_output") this.#order.push(event);
    else if (event.event === "response_completed") this.#end({ end: "completed" }, event);
    else {
      this.#order.acceptStart();
      this.deliver(event);
    }
  }

  #noteOrder(event: AiEvent): void {
    const issues = this.#eventOrder.note(event);
    if (issues.length > 0) this.#onDrift(event, issues);
  }

  /** Each place is told of once. */
  #onDrift(event: AiEvent, issues: readonly Issue[]): void {
    const drifted = this.#drifted ?? new Set<string>();
    this.#drifted = drifted;
    const paths: string[] = [];
    for (const issue of issues) {
      const path = [event.event, ...issue.path];
      const place = path.join(".");
      if (drifted.has(place) || drifted.size >= mostWarnings) continue;
      drifted.add(place);
      paths.push(place);
      this.warn({ ...issue, path });
    }
    if (paths.length > 0) this.#call.report({ type: "drift", paths });
  }

  warn(issue: Issue): void {
    if (this.warnings.length < mostWarnings) this.warnings = [...this.warnings, issue];
  }

  /**
   * Nothing is read after an end: what is held back is given, then `last`, and the connection is let go of. After a
   * complete answer it may serve the next call, if the service ends its body in time.
   */
  #end(ending: Ending, last?: AiEvent): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.#order.flush();
    if (last !== undefined) this.#queue.push(last);
    if (ending.end === "completed") {
      void this.#source.drain(patience, () => this.#call.close());
    } else {
      this.#source.cancel();
      this.#call.close();
    }
  }
}
