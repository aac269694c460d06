import { defaults } from "../../defaults.ts";
import type { Issue } from "../../errors/base.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import { framingFor } from "../framing/detect.ts";
import type { EndMark, Frame, Framing, FramingError, Piece } from "../framing/frame.ts";
import { Utf8Decoder } from "../framing/utf8.ts";
import type { AiEvent } from "../types.ts";
import type { Deadlines } from "./deadlines.ts";
import { parseFrame } from "./parse-frame.ts";
import { ReorderBuffer } from "./reorder-buffer.ts";
import type { StreamEnding } from "./stream-errors.ts";
import { EventOrder, StreamWarnings } from "./warnings.ts";

type Events = readonly AiEvent[];
const none: Events = [];

/** Turns the bytes of one stream into its events, in order. Each method returns the events that are ready by then. */
export class EventDecoder {
  /** Set when the end is known. Nothing is decoded after it. */
  ending: StreamEnding | undefined;
  readonly reorder: ReorderBuffer;
  readonly maxEventBytes: number;
  readonly #call: StreamingResponse;
  readonly #deadlines: Deadlines;
  readonly #utf8 = new Utf8Decoder();
  readonly #framing: Framing;
  readonly #order = new EventOrder();
  readonly #warnings = new StreamWarnings();
  #isFirst = true;
  #hasBodyEnded = false;

  constructor(call: StreamingResponse, deadlines: Deadlines) {
    this.#call = call;
    this.#deadlines = deadlines;
    this.maxEventBytes = call.options.maxEventBytes ?? defaults.maxEventBytes;
    this.reorder = new ReorderBuffer(this.#warnings, deadlines);
    this.#framing = framingFor(call.response.headers.get("content-type"), this.maxEventBytes);
  }

  get warnings(): readonly Issue[] {
    return this.#warnings.list;
  }

  decode(bytes: Uint8Array): Events {
    const { text, isValid } = this.#utf8.decode(bytes);
    const events = this.#eventsOf(this.#framing.push(text));
    return isValid ? events : [...events, ...this.end({ end: "damaged", why: "it is not UTF-8", body: undefined })];
  }

  /** Decodes the rest at the end of the body. `error` is what it broke with. */
  finish(error?: unknown): Events {
    this.#hasBodyEnded = true;
    const events = this.#eventsOf(this.#framing.end());
    return [...events, ...this.end({ end: "truncated", cause: this.#call.summarize(error) })];
  }

  /** Ends the stream, unless it has ended: chunks that are held back are ready then. */
  end(ending: StreamEnding): Events {
    if (this.ending !== undefined) return none;
    this.ending = ending;
    return this.reorder.flush();
  }

  #eventsOf(pieces: readonly Piece[]): Events {
    const events: AiEvent[] = [];
    for (const piece of pieces) {
      if (this.ending !== undefined) break;
      const ready = piece.kind === "frame" ? this.#readFrame(piece) : this.end(this.#endingOf(piece));
      for (const event of ready) events.push(event);
    }
    return events;
  }

  #readFrame(frame: Frame): Events {
    const validation = this.#call.options.validation?.response ?? "essential";
    const parsed = parseFrame(frame, this.#isFirst, validation);
    this.#isFirst = false;
    switch (parsed.kind) {
      case "event":
        this.#warn(parsed.event, parsed.issues);
        if (validation !== "off" && !parsed.isWhole) this.#warn(parsed.event, this.#order.note(parsed.event));
        return this.#place(parsed.event);
      case "failed":
        return this.end({ end: "failed", refusal: this.#call.refusal(parsed.body) });
      case "refused":
        return this.end({ end: "refused", error: this.#call.refusal(parsed.body) });
      case "damaged":
        // The last event of a body that was cut is not damaged: the cut is reported.
        if (this.#hasBodyEnded && !parsed.isJson) return none;
        return this.end({ end: "damaged", why: parsed.why, body: this.#call.redact(parsed.body) });
    }
  }

  #place(event: AiEvent): Events {
    this.#deadlines.eventReceived();
    if (event.event === "response_output") return this.reorder.push(event);
    if (event.event === "response_completed") return [...this.end({ end: "completed" }), event];
    return [...this.reorder.acceptStart(), event];
  }

  #warn({ event }: AiEvent, issues: readonly Issue[]): void {
    if (issues.length === 0) return;
    const paths = this.#warnings.addDrift(event, issues);
    if (paths.length > 0) this.#call.report({ type: "drift", paths });
  }

  #endingOf(piece: EndMark | FramingError): StreamEnding {
    if (piece.kind === "end") return { end: "truncated" };
    const { reason, text } = piece;
    if (reason === "tooLarge") return { end: "tooLarge", limit: this.maxEventBytes };
    if (reason === "damagedEvent") return { end: "damaged", why: "it is not JSON", body: this.#call.redact(text) };
    return { end: "refused", error: this.#call.unexpected(reason, text) };
  }
}
