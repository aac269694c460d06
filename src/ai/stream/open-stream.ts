import type { ValidationIssue } from "../../errors/base.ts";
import { formatPath, maskName, maskPath } from "../../errors/issues.ts";
import type { StreamStalledError } from "../../errors/stream.ts";
import { defaults } from "../../options.ts";
import { field, isObject, parseJson, stringOf } from "../../shared/json.ts";
import type { Schema } from "../../shared/schema.ts";
import { explain } from "../../shared/standard-schema.ts";
import { essentialIssues } from "../../shared/validate.ts";
import { readEnvelope } from "../../transport/envelope.ts";
import { apiError, unexpectedResponseError } from "../../transport/errors/response.ts";
import { redactJson, summarize } from "../../transport/redact.ts";
import type { OpenCall } from "../../transport/request.ts";
import { detectFraming, type Frame, type Framing, type Piece, Utf8Decoder } from "../framing.ts";
import { responseCompleted, responseInitiated, responseOutput } from "../schemas.ts";
import type { AiEvent } from "../types.ts";
import { EventOrder, ReorderBuffer } from "./order.ts";
import type { FailedEnding, StreamEnding } from "./stream-errors.ts";

/** Milliseconds for which the end of a body is awaited after `response_completed`. */
const drainTimeout = 100;
const maxWarnings = 100;
const none: readonly ValidationIssue[] = [];

/**
 * A limit of a wait: a deadline, or the time for which chunks are held for a missing one (docs/assumptions.md, I2).
 */
type Limit = StreamStalledError["deadline"] | "reorder";

/** An event, and its harmless differences from the document. */
interface ParsedEvent {
  readonly event: AiEvent;
  readonly issues: readonly ValidationIssue[];
  /** Whether it is a whole response, which came in place of a stream. */
  readonly isWhole: boolean;
}

/** The next chunk of a body, or its end, with the error with which it broke off. */
interface ReadResult {
  readonly value?: Uint8Array | undefined;
  readonly error?: unknown;
}

/**
 * The events of a response that has begun, from its first byte to its last event. Bytes are read only when no event is
 * left, so that the sender is never ahead of the consumer by more than one chunk.
 */
export class OpenStream {
  /** Set when the end is known; the events before it are still to be taken. */
  ending: StreamEnding | undefined;
  /** The differences from the document that are tolerated. A new list after each: one that a caller holds stays as it is. */
  warnings = none;
  /** The maximum size of an event. */
  readonly maxEventBytes: number;
  readonly #call: OpenCall;
  readonly #limits: Readonly<Record<Limit, number>>;

  readonly #body: ReadableStreamDefaultReader<Uint8Array> | undefined;
  /** The read that is under way, or whose result nobody has taken: a wait may end before it. */
  #reading: Promise<ReadResult> | undefined;
  #hasBodyEnded = false;

  // Milliseconds of waiting: a slow consumer is never taken for a stall.
  #waited = 0;
  #bytesAt = 0;
  #eventAt = 0;

  readonly #utf8 = new Utf8Decoder();
  readonly #framing: Framing;
  readonly #ready: AiEvent[] = [];
  #taken = 0;
  /** Of the order. Numbers may be wrong in each chunk, and leave room for the differences of the events. */
  #orderWarnings = 0;
  readonly #reorder = new ReorderBuffer(this.#ready, (code, message) => {
    if (this.#orderWarnings++ < maxWarnings / 2) this.#addWarning({ path: ["sequence_no"], code, message });
  });
  readonly #order: EventOrder;
  readonly #validation: string;
  #isFirst = true;
  /** The places that differ. */
  readonly #places = new Set<string>();

  constructor(call: OpenCall) {
    const { options, response } = call;
    const stream = { ...defaults.stream, ...options.stream };
    this.#call = call;
    this.#validation = options.validation?.response ?? "essential";
    this.#limits = {
      idle: msOf(stream.idleTimeout),
      event: msOf(stream.eventTimeout),
      reorder: msOf(stream.reorderTimeout),
      stream: msOf(stream.timeout),
    };
    this.maxEventBytes = stream.maxEventBytes ?? defaults.stream.maxEventBytes;
    this.#framing = detectFraming(response.headers.get("content-type"), this.maxEventBytes, (piece) =>
      this.#readPiece(piece),
    );
    this.#order = new EventOrder(call);
    this.#body = response.body?.getReader();
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
        if (limit === "reorder") this.#reorder.giveUp();
        else this.end({ state: "stalled", deadline: limit, timeout: this.#limits[limit] });
        continue;
      }
      const result = await this.#read(Math.max(left, 0));
      this.#waited -= now;
      now = performance.now();
      this.#waited += now;
      isLastLook = left <= 0 || result === undefined;
      if (result === undefined) continue;
      this.#reading = undefined;
      if (this.ending !== undefined) continue;
      this.#bytesAt = this.#waited;
      this.#decode(result);
    }
  }

  /** Returns the limit that is reached first, and the milliseconds until then. */
  #nextLimit(now: number): { readonly limit: Limit; readonly left: number } {
    const { idle, event, reorder, stream } = this.#limits;
    let first: { limit: Limit; left: number } = { limit: "idle", left: this.#bytesAt + idle - this.#waited };
    const others: readonly (typeof first)[] = [
      { limit: "event", left: this.#eventAt + event - this.#waited },
      { limit: "reorder", left: this.#reorder.heldSince + reorder - this.#waited },
      { limit: "stream", left: this.#call.startedAt + stream - now },
    ];
    for (const other of others) if (other.left < first.left) first = other;
    return first;
  }

  /**
   * Waits for the next chunk of the body, or its end, for at most `timeout` milliseconds: after that it returns
   * undefined, and the chunk comes with a later call.
   */
  #read(timeout: number): Promise<ReadResult | undefined> {
    this.#reading ??= this.#body?.read() ?? Promise.resolve({});
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const settle = (result: ReadResult) => {
        clearTimeout(timer);
        resolve(result);
      };
      this.#reading?.then(settle, (error: unknown) => settle({ error }));
      // Bytes may have arrived while the event loop was blocked: they come before the timeout.
      if (timeout !== Number.POSITIVE_INFINITY) {
        timer = setTimeout(() => {
          timer = setTimeout(() => resolve(undefined), 0);
        }, timeout);
      }
    });
  }

  /** Makes ready the events that the next chunk of the body completes, or its end. */
  #decode({ value, error }: ReadResult): void {
    if (value === undefined) {
      this.#hasBodyEnded = true;
      this.#framing.end();
      this.end({ state: "truncated", cause: summarize(error, this.#call.secrets) });
      return;
    }
    const { text, isValid } = this.#utf8.decode(value);
    this.#framing.push(text);
    if (!isValid) this.end(damaged(this.#call, undefined, "it is not UTF-8"));
  }

  #readPiece(piece: Piece): void {
    if (this.ending !== undefined) return;
    if (piece.kind === "frame") this.#readFrame(piece);
    else if (piece.kind === "end") this.end({ state: "truncated" });
    else if (piece.reason === "tooLarge") {
      const happened = `an event was larger than ${this.maxEventBytes} bytes. Raise \`stream.maxEventBytes\` if you expect such events.`;
      this.end({ state: "failed", reason: "tooLarge", happened });
    } else if (piece.reason === "damagedEvent") this.end(damaged(this.#call, piece.text, notJson));
    else {
      const { reason, text } = piece;
      this.end({ state: "failed", error: unexpectedResponseError(this.#call, this.#call.response, { reason, text }) });
    }
  }

  #readFrame(frame: Frame): void {
    const body = parseJson(frame.data);
    // The last event of a body that was cut is not damaged: the cut is reported.
    if (body === undefined && this.#hasBodyEnded) return;
    const parsed = parseEvent(this.#call, body, frame, this.#isFirst, this.#validation);
    this.#isFirst = false;
    if ("state" in parsed) {
      this.end(parsed);
      return;
    }
    const { event, issues, isWhole } = parsed;
    const found = this.#validation === "off" ? none : this.#order.note(event, isWhole);
    if (issues.length > 0 || found.length > 0) this.#addDrift(event, [...issues, ...found]);
    this.#eventAt = this.#waited;
    if (event.event === "response_completed") this.end({ state: "completed" });
    if (event.event === "response_output") this.#reorder.push(event, this.#waited);
    else this.#ready.push(event);
  }

  /** Adds the issues of an event, one for each place in the stream's life, and reports the places that are new. */
  #addDrift({ event }: AiEvent, issues: readonly ValidationIssue[]): void {
    const paths: string[] = [];
    for (const issue of issues) {
      const path = [event, ...issue.path];
      const place = `${path.join(".")} ${issue.code}`;
      if (this.#places.has(place) || this.#places.size >= maxWarnings / 2) continue;
      this.#places.add(place);
      paths.push(path.map((name) => maskName(String(name))).join("."));
      this.#addWarning({ ...issue, path });
    }
    if (paths.length > 0) this.#call.reporter?.report({ type: "drift", paths });
  }

  #addWarning(issue: ValidationIssue): void {
    this.warnings = [...this.warnings, issue];
  }

  /** Ends the stream, unless it has ended. Chunks that are held are ready then, and nothing more is decoded. */
  end(ending: StreamEnding): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    this.#reorder.release(Number.POSITIVE_INFINITY);
    if (ending.state === "completed") void this.#drain();
    else this.#close();
  }

  /** Reads the body of a complete response to its end: if that comes in time, the connection serves the next call. */
  async #drain(): Promise<void> {
    const endsAt = performance.now() + drainTimeout;
    // By the clock: bytes that are always there would outrun every timer.
    for (let left = drainTimeout; left > 0; left = endsAt - performance.now()) {
      const result = await this.#read(left);
      if (result === undefined || "error" in result) break;
      if (result.value === undefined) return;
      this.#reading = undefined;
    }
    this.#close();
  }

  #close(): void {
    // It ends a read that is under way. If the connection is gone already, there is nothing to cancel.
    this.#body?.cancel().catch(() => {});
    this.#call.scope.cancelAttempt();
  }
}

/**
 * Reads the body of a response in place of a stream: its JSON, or the first event in the framing of a stream, which does not
 * decide the class of a refusal (docs/assumptions.md, I1).
 */
export function firstValue(text: string): unknown {
  const whole = parseJson(text);
  if (isObject(whole)) return whole;
  const frames: Frame[] = [];
  const framing = detectFraming(null, text.length * 3, (piece) => piece.kind === "frame" && frames.push(piece));
  framing.push(text);
  framing.end();
  return parseJson(frames[0]?.data ?? "") ?? whole;
}

function msOf(timeout: number | false | undefined): number {
  return typeof timeout === "number" ? timeout : Number.POSITIVE_INFINITY;
}

/**
 * Reads the body of one frame: its status, then whether it has the shape that the document shows (§6.1).
 *
 * @returns The event, or the end of the stream: a refusal in place of it (no event, whatever the framing calls it), the
 *   service's word that the generation failed (§3.1 names the status, not the event), or damage.
 */
function parseEvent(
  call: OpenCall,
  body: unknown,
  { name: outer, data }: Frame,
  isFirst: boolean,
  validation: string,
): ParsedEvent | FailedEnding {
  if (!isObject(body)) return damaged(call, data, body === undefined ? notJson : "it is not a JSON object");
  const inner = typeof body.event === "string" ? body.event : undefined;
  const name = inner ?? outer;
  // Read as on every other operation (docs/assumptions.md, A1); that of most events is known without.
  const verdict = body.status === "PROCESSING" ? "pending" : readEnvelope(body).verdict;
  // A name outside the data counts if it is that of an event (§6.1); `event: error` is the framing's.
  const isBody = isFirst && inner === undefined && !outer?.startsWith("response_");
  // `message` is the name of all frames that have none (SSE).
  const isNameless = isBody && (outer === undefined || outer === "message");
  if (isNameless && typeof field(body.system, "text") === "string" && /^(success|unknown)$/.test(verdict)) {
    return checkShape(call, body, "response_completed", true, validation);
  }
  // An unknown event ends nothing (docs/assumptions.md, A6) unless its status is explicitly FAILED.
  const isFailed =
    verdict === "failed" && (isNameless || name === undefined || shapeOf(name) !== undefined || saysFailed(body));
  if (isFailed || (isNameless && verdict === "pending")) {
    const error = apiError(call, call.response, body);
    return isBody ? { state: "failed", error } : { state: "failed", refusal: error };
  }
  if (name === undefined) return damaged(call, body, "it has no `event` and is not a whole response");
  if (verdict === "pending" && name === "response_completed") {
    return damaged(call, body, "it is a response_completed whose status is not SUCCESS");
  }
  return checkShape(call, body, name, false, validation);
}

function checkShape(
  call: OpenCall,
  body: Record<string, unknown>,
  name: string,
  isWhole: boolean,
  validation: string,
): ParsedEvent | FailedEnding {
  const shape = shapeOf(name);
  let named = body;
  // A known name is replaced by the equal string of this file: each later step compares it with itself, in no time.
  if (body.event === name) body.event = shape?.name ?? name;
  else named = { ...body, event: name };
  // The checked border: an event of a known name has been checked, as far as `validation` asks for.
  const event = named as unknown as AiEvent;
  if (shape === undefined || validation === "off" || shape.schema.passes(named))
    return { event, issues: none, isWhole };
  const issues = explain(shape.schema, named);
  const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
  if (broken !== undefined) return damaged(call, body, `${formatPath(maskPath(broken).path)} ${broken.message}`);
  return { event, issues, isWhole };
}

/** @param why - It never quotes the body. */
function damaged({ secrets }: OpenCall, received: unknown, why: string): FailedEnding {
  const body = received === undefined ? undefined : redactJson(received, secrets);
  return { state: "failed", reason: "damagedEvent", happened: `an event could not be read: ${why}.`, body };
}

/** Whether the status itself says so, and not the code alone. */
function saysFailed({ status }: Readonly<Record<string, unknown>>): boolean {
  return /^\s*failed\s*$/i.test(stringOf(status));
}

const notJson = "it is not JSON";

interface Shape {
  readonly name: string;
  readonly schema: Schema<AiEvent>;
  readonly essential: readonly string[];
}

/** The most frequent first. A map would have to hash each name. */
const shapes: readonly Shape[] = [
  { name: "response_output", schema: responseOutput, essential: ["system.text_chunk"] },
  { name: "response_initiated", schema: responseInitiated, essential: [] },
  { name: "response_completed", schema: responseCompleted, essential: ["context_token", "system.text"] },
];

function shapeOf(name: string): Shape | undefined {
  return shapes.find((shape) => shape.name === name);
}
