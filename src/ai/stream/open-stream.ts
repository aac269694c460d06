import type { ValidationIssue } from "../../errors/base.ts";
import { defaults, type StreamOptions } from "../../options.ts";
import { readEchoes } from "../../transport/echo.ts";
import { apiError, unexpectedResponseError } from "../../transport/errors/response.ts";
import { redactJson, summarize } from "../../transport/redact.ts";
import type { OpenCall } from "../../transport/request.ts";
import { DetectedFraming, type Frame, type FramingError, type Piece, Utf8Decoder } from "../framing.ts";
import type { AiEvent } from "../types.ts";
import { EventOrder, ReorderBuffer } from "./order.ts";
import { type ParsedEvent, type ParsedFrame, parseFrame, type Validation } from "./parse-event.ts";
import type { StreamDeadline, StreamEnding } from "./stream-errors.ts";

/** Milliseconds for which the end of a body is awaited after `response_completed`. */
const drainTimeout = 100;
const maxWarnings = 100;
const none: readonly ValidationIssue[] = [];

/**
 * A limit of a wait: a deadline, or the time for which chunks are held for a missing one (docs/assumptions.md, I2).
 */
type Limit = StreamDeadline | "reorder";

/** The next chunk of a body, or its end, with the error with which it broke off. */
type ReadResult = { readonly bytes: Uint8Array } | { readonly bytes?: undefined; readonly error?: unknown };

/**
 * The events of a response that has begun, from its first byte to its last event. Bytes are read only when no event is
 * left, so that the sender is never ahead of the consumer by more than one chunk.
 */
export class OpenStream {
  /** Set when the end is known; the events before it are still to be taken. */
  ending: StreamEnding | undefined;
  /** The differences from the document that are tolerated. A new list after each: one that a caller holds stays as it is. */
  warnings: readonly ValidationIssue[] = none;
  /** The maximum size of an event. */
  readonly maxEventBytes: number;
  readonly #call: OpenCall;
  readonly #validation: Validation;
  readonly #limits: Readonly<Record<Limit, number>>;

  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isReading = false;
  /** The result that nobody has been waiting for. */
  #result: ReadResult | undefined;
  #wake: (() => void) | undefined;

  // Milliseconds of waiting: a slow consumer is never taken for a stall.
  #waited = 0;
  #bytesAt = 0;
  #eventAt = 0;

  readonly #utf8 = new Utf8Decoder();
  readonly #framing: DetectedFraming;
  readonly #ready: AiEvent[] = [];
  #taken = 0;
  readonly #reorder = new ReorderBuffer(this.#ready, (code, message) =>
    this.#addWarning({ path: ["sequence_no"], code, message }),
  );
  readonly #order = new EventOrder((event) => readEchoes(this.#call, event).warned);
  #isFirst = true;
  #hasBodyEnded = false;
  /** The places that differ. Most streams have none and never make the set. */
  #places: Set<string> | undefined;

  constructor(call: OpenCall) {
    const { options, response } = call;
    this.#call = call;
    this.#validation = options.validation?.response ?? "essential";
    this.#limits = limitsOf(options);
    this.maxEventBytes = options.stream?.maxEventBytes ?? defaults.stream.maxEventBytes;
    this.#framing = new DetectedFraming(response.headers.get("content-type"), this.maxEventBytes);
    this.#body = response.body?.getReader();
    if (this.#body === undefined) this.#result = {};
  }

  /** Whether there is an event to take. */
  get hasEvent(): boolean {
    return this.#ready.length > 0;
  }

  /** Returns the next event, if one has been received. */
  take(): AiEvent | undefined {
    const event = this.#ready[this.#taken];
    if (event === undefined) return undefined;
    if (++this.#taken === this.#ready.length) {
      this.#ready.length = 0;
      this.#taken = 0;
    }
    return event;
  }

  /** Waits for the network until there is an event to take or the stream has ended. */
  async fill(): Promise<void> {
    let isLastLook = false;
    let now = performance.now();
    while (!this.hasEvent && this.ending === undefined) {
      const { limit, left } = this.#nextLimit(now);
      // Data that is always there must not outrun a limit. What is missing may have come meanwhile: hence the last look.
      if (left <= 0 && (isLastLook || limit === "stream")) {
        this.#giveUp(limit);
        continue;
      }
      const result = await this.#read(Math.max(left, 0));
      const readAt = performance.now();
      this.#waited += readAt - now;
      if (result !== undefined) this.#decode(result);
      now = performance.now();
      // The consumer waits for the decoding too, if it made no event ready.
      this.#waited += now - readAt;
      if (result !== undefined) this.#bytesAt = this.#waited;
      isLastLook = left <= 0 || result === undefined;
    }
  }

  /** Ends the stream from this side, unless it has ended. Events that were received can still be taken. */
  abort(): void {
    this.#end({ end: "aborted" });
  }

  /** Returns the limit that is reached first, and the milliseconds until then. */
  #nextLimit(now: number): { readonly limit: Limit; readonly left: number } {
    const { idle, event, reorder, stream } = this.#limits;
    const heldSince = this.#reorder.heldSince ?? Number.POSITIVE_INFINITY;
    let first: { limit: Limit; left: number } = { limit: "idle", left: this.#bytesAt + idle - this.#waited };
    const others: readonly (typeof first)[] = [
      { limit: "event", left: this.#eventAt + event - this.#waited },
      { limit: "reorder", left: heldSince + reorder - this.#waited },
      { limit: "stream", left: this.#call.startedAt + stream - now },
    ];
    for (const other of others) if (other.left < first.left) first = other;
    return first;
  }

  #giveUp(limit: Limit): void {
    if (limit === "reorder") this.#reorder.giveUp();
    else this.#end({ end: "stalled", deadline: limit, timeout: this.#limits[limit] });
  }

  /**
   * Waits for the next chunk of the body, or its end, for at most `timeout` milliseconds: after that it returns
   * undefined, and the chunk comes with a later call.
   */
  #read(timeout: number): Promise<ReadResult | undefined> {
    const receive = (result: ReadResult) => {
      this.#isReading = false;
      this.#result = result;
      this.#wake?.();
    };
    if (this.#result === undefined && !this.#isReading) {
      this.#isReading = true;
      this.#body?.read().then(
        ({ done, value }) => receive(done ? {} : { bytes: value }),
        (error: unknown) => receive({ error }),
      );
    }
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      // An abort wakes it too. The signal of the body is not relied upon (nodejs/undici#3644).
      this.#wake = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve(this.#result);
        this.#result = undefined;
      };
      if (this.#result !== undefined) this.#wake();
      // Bytes may have arrived while the event loop was blocked: they come before the timeout.
      else if (timeout !== Number.POSITIVE_INFINITY) {
        timer = setTimeout(() => {
          timer = setTimeout(() => this.#wake?.(), 0);
        }, timeout);
      }
    });
  }

  /** Makes ready the events that the next chunk of the body completes, or its end. */
  #decode(result: ReadResult): void {
    if (result.bytes === undefined) {
      this.#hasBodyEnded = true;
      this.#readPieces(this.#framing.end());
      this.#end({ end: "truncated", cause: summarize(result.error, this.#call.secrets) });
      return;
    }
    const { text, isValid } = this.#utf8.decode(result.bytes);
    this.#readPieces(this.#framing.push(text));
    if (!isValid) this.#end({ end: "damaged", why: "it is not UTF-8", body: undefined });
  }

  #readPieces(pieces: readonly Piece[]): void {
    for (const piece of pieces) {
      if (this.ending !== undefined) return;
      if (piece.kind === "frame") this.#readFrame(piece);
      else this.#end(piece.kind === "end" ? { end: "truncated" } : this.#endingOf(piece));
    }
  }

  #readFrame(frame: Frame): void {
    const parsed = parseFrame(frame, this.#isFirst, this.#validation);
    this.#isFirst = false;
    if (parsed.kind === "event") this.#accept(parsed);
    // The last event of a body that was cut is not damaged: the cut is reported.
    else if (!this.#hasBodyEnded || parsed.kind !== "damaged" || parsed.isJson) this.#end(this.#endingAt(parsed));
  }

  #accept({ event, issues, isWhole }: ParsedEvent): void {
    this.#addDrift(event, issues);
    if (this.#validation !== "off") this.#addDrift(event, this.#order.note(event, isWhole));
    this.#eventAt = this.#waited;
    if (event.event === "response_completed") this.#end({ end: "completed" });
    if (event.event === "response_output") this.#reorder.push(event, this.#waited);
    else this.#ready.push(event);
  }

  /** Adds the issues of an event, one for each place in the stream's life, and reports the places that are new. */
  #addDrift({ event }: AiEvent, issues: readonly ValidationIssue[]): void {
    if (issues.length === 0) return;
    this.#places ??= new Set();
    const paths: string[] = [];
    for (const issue of issues) {
      const path = [event, ...issue.path];
      const key = `${path.join(".")} ${issue.code}`;
      if (this.#places.has(key) || this.#places.size >= maxWarnings) continue;
      this.#places.add(key);
      paths.push(path.join("."));
      this.#addWarning({ ...issue, path });
    }
    if (paths.length > 0) this.#call.reporter?.report({ type: "drift", paths });
  }

  #addWarning(issue: ValidationIssue): void {
    if (this.warnings.length < maxWarnings) this.warnings = [...this.warnings, issue];
  }

  #endingAt(parsed: Exclude<ParsedFrame, ParsedEvent>): StreamEnding {
    if (parsed.kind === "damaged")
      return { end: "damaged", why: parsed.why, body: redactJson(parsed.body, this.#call.secrets) };
    const error = apiError(this.#call, this.#call.response, parsed.body);
    return parsed.kind === "failed" ? { end: "failed", refusal: error } : { end: "refused", error };
  }

  #endingOf({ reason, text }: FramingError): StreamEnding {
    if (reason === "tooLarge") return { end: "tooLarge", limit: this.maxEventBytes };
    if (reason === "damagedEvent")
      return { end: "damaged", why: "it is not JSON", body: redactJson(text, this.#call.secrets) };
    return { end: "refused", error: unexpectedResponseError(this.#call, this.#call.response, { reason, text }) };
  }

  /** Ends the stream, unless it has ended. Chunks that are held are ready then, and nothing more is decoded. */
  #end(ending: StreamEnding): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.#reorder.flush();
    if (ending.end === "completed") void this.#drain();
    else this.#close();
  }

  /** Reads the body of a complete response to its end: if that comes in time, the connection serves the next call. */
  async #drain(): Promise<void> {
    const endsAt = performance.now() + drainTimeout;
    // By the clock: bytes that are always there would outrun every timer.
    for (let left = drainTimeout; left > 0; left = endsAt - performance.now()) {
      const result = await this.#read(left);
      if (result?.bytes !== undefined) continue;
      if (result !== undefined && !("error" in result)) return;
      break;
    }
    this.#close();
  }

  #close(): void {
    this.#wake?.();
    // If the connection is gone already, there is nothing to cancel.
    this.#body?.cancel().catch(() => {});
    this.#call.scope.cancelAttempt();
  }
}

function limitsOf({ stream }: StreamOptions): Readonly<Record<Limit, number>> {
  const limit = (name: Exclude<keyof typeof defaults.stream, "maxEventBytes">) => {
    const timeout = stream?.[name] ?? defaults.stream[name];
    return timeout === false ? Number.POSITIVE_INFINITY : timeout;
  };
  return {
    idle: limit("idleTimeout"),
    event: limit("eventTimeout"),
    stream: limit("timeout"),
    reorder: limit("reorderTimeout"),
  };
}
