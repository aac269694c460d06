import { defaults } from "../../defaults.ts";
import type { Issue } from "../../errors/base.ts";
import type { StreamingResponse } from "../../transport/streaming-response.ts";
import { DetectedFraming } from "../framing/detect.ts";
import type { EndMark, Frame, Framing, FramingError, Piece } from "../framing/frame.ts";
import { Utf8Decoder } from "../framing/utf8.ts";
import type { AiEvent } from "../types.ts";
import type { Deadlines } from "./deadlines.ts";
import { type ParsedEvent, type ParsedFrame, parseFrame, type Validation } from "./parse-frame.ts";
import { ReorderBuffer } from "./reorder-buffer.ts";
import type { StreamEnding } from "./stream-errors.ts";
import { EventOrder, StreamWarnings } from "./warnings.ts";

/** Turns the bytes of one stream into its events, in order. */
export class EventDecoder {
  /** Set when the end is known. Nothing is decoded after it. */
  ending: StreamEnding | undefined;
  /** The events that are ready and have not been taken. */
  readonly ready: AiEvent[] = [];
  readonly reorder: ReorderBuffer;
  readonly maxEventBytes: number;
  readonly #call: StreamingResponse;
  readonly #deadlines: Deadlines;
  readonly #utf8 = new Utf8Decoder();
  readonly #framing: Framing;
  readonly #validation: Validation;
  readonly #order: EventOrder;
  readonly #warnings = new StreamWarnings();
  #isFirst = true;
  #hasBodyEnded = false;

  constructor(call: StreamingResponse, deadlines: Deadlines) {
    this.#call = call;
    this.#deadlines = deadlines;
    this.maxEventBytes = call.options.maxEventBytes ?? defaults.maxEventBytes;
    this.#validation = call.options.validation?.response ?? "essential";
    this.reorder = new ReorderBuffer(this.ready, this.#warnings, deadlines);
    this.#order = new EventOrder((event) => call.echoes(event));
    this.#framing = new DetectedFraming(call.response.headers.get("content-type"), this.maxEventBytes);
  }

  get warnings(): readonly Issue[] {
    return this.#warnings.list;
  }

  decode(bytes: Uint8Array): void {
    const { text, isValid } = this.#utf8.decode(bytes);
    this.#read(this.#framing.push(text));
    if (!isValid) this.end({ end: "damaged", why: "it is not UTF-8", body: undefined });
  }

  /** Decodes the rest at the end of the body. `error` is what it broke with. */
  finish(error?: unknown): void {
    this.#hasBodyEnded = true;
    this.#read(this.#framing.end());
    this.end({ end: "truncated", cause: this.#call.summarize(error) });
  }

  /** Ends the stream, unless it has ended: chunks that are held back are ready then. */
  end(ending: StreamEnding): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.reorder.flush();
  }

  #read(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.ending !== undefined) return;
      if (piece.kind === "frame") this.#readFrame(piece);
      else this.end(this.#endingOf(piece));
    }
  }

  #readFrame(frame: Frame): void {
    const parsed = parseFrame(frame, this.#isFirst, this.#validation);
    this.#isFirst = false;
    if (parsed.kind === "event") this.#accept(parsed);
    // The last event of a body that was cut is not damaged: the cut is reported.
    else if (!this.#hasBodyEnded || parsed.kind !== "damaged" || parsed.isJson) this.end(this.#endingAt(parsed));
  }

  #accept({ event, issues, isWhole }: ParsedEvent): void {
    this.#warn(event, issues);
    if (this.#validation !== "off") this.#warn(event, this.#order.note(event, isWhole));
    this.#place(event);
  }

  #place(event: AiEvent): void {
    this.#deadlines.eventReceived();
    if (event.event === "response_completed") this.end({ end: "completed" });
    if (event.event === "response_output") this.reorder.push(event);
    else this.ready.push(event);
  }

  #warn({ event }: AiEvent, issues: readonly Issue[]): void {
    if (issues.length === 0) return;
    const paths = this.#warnings.addDrift(event, issues);
    if (paths.length > 0) this.#call.report({ type: "drift", paths });
  }

  #endingAt(parsed: Exclude<ParsedFrame, ParsedEvent>): StreamEnding {
    if (parsed.kind === "damaged") {
      return { end: "damaged", why: parsed.why, body: this.#call.redact(parsed.body) };
    }
    const error = this.#call.refusal(parsed.body);
    return parsed.kind === "failed" ? { end: "failed", refusal: error } : { end: "refused", error };
  }

  #endingOf(piece: EndMark | FramingError): StreamEnding {
    if (piece.kind === "end") return { end: "truncated" };
    const { reason, text } = piece;
    if (reason === "tooLarge") return { end: "tooLarge", limit: this.maxEventBytes };
    if (reason === "damagedEvent") return { end: "damaged", why: "it is not JSON", body: this.#call.redact(text) };
    return { end: "refused", error: this.#call.unexpected(reason, text) };
  }
}
