import type { ValidationIssue } from "../../errors/base.ts";
import { formatPath } from "../../errors/issues.ts";
import type { StreamStalledError } from "../../errors/stream.ts";
import { defaults } from "../../options.ts";
import { explain } from "../../shared/explain.ts";
import { field, isObject, parseJson } from "../../shared/json.ts";
import type { Schema } from "../../shared/schema.ts";
import { essentialIssues } from "../../shared/validate.ts";
import { before } from "../../transport/cancellation.ts";
import { readEnvelope } from "../../transport/envelope.ts";
import { apiError, unexpectedResponseError } from "../../transport/errors/response.ts";
import { redactJson, summarize } from "../../transport/redact.ts";
import type { StreamingCall } from "../../transport/request.ts";
import { detectFraming, eventsIn, type Framing, type FramingError, Utf8Decoder } from "../framing.ts";
import { responseCompleted, responseInitiated, responseOutput } from "../schemas.ts";
import type { AiEvent } from "../types.ts";
import { EventOrder, ReorderBuffer } from "./order.ts";
import {
  type FailedEnding,
  failed,
  refused,
  type StreamEnding,
  stalled,
  truncated,
  unusable,
} from "./stream-errors.ts";

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
  readonly maxEventBytes: number;
  readonly #call: StreamingCall;
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
  /** The number of those that have been taken. */
  #taken = 0;
  /** Of the order. Numbers may be wrong in each chunk, and leave room for the differences of the events. */
  #orderWarnings = 0;
  readonly #reorder = new ReorderBuffer(this.#ready, (code, message) => {
    if (this.#orderWarnings++ < maxWarnings / 2) this.#addWarning({ path: ["sequence_no"], code, message });
  });
  readonly #order: EventOrder | undefined;
  #isFirst = true;
  /** The places that differ. */
  readonly #places = new Set<string>();

  constructor(call: StreamingCall) {
    const { options, response } = call;
    const stream = { ...defaults.stream, ...options.stream };
    this.#call = call;
    this.#limits = {
      idle: msOf(stream.idleTimeout),
      event: msOf(stream.eventTimeout),
      reorder: msOf(stream.reorderTimeout),
      stream: msOf(stream.timeout),
    };
    this.maxEventBytes = stream.maxEventBytes ?? defaults.stream.maxEventBytes;
    this.#framing = detectFraming(response.headers.get("content-type"), this.maxEventBytes, {
      onEvent: (data, name) => this.#readEvent(data, name),
      onEnd: (error) => this.end(error === undefined ? truncated() : this.#brokenBy(error)),
    });
    this.#order = options.validation?.response === "off" ? undefined : new EventOrder(call);
    this.#body = response.body?.getReader();
    call.scope.limitTo(call.startedAt + this.#limits.stream - performance.now());
  }

  get hasEvent(): boolean {
    return this.#taken < this.#ready.length;
  }

  /** Returns the next event, if one has been received. */
  next(): AiEvent | undefined {
    const event = this.#ready[this.#taken++];
    if (event === undefined) this.drop();
    return event;
  }

  /** The events that have been received, and not taken. */
  get rest(): readonly AiEvent[] {
    return this.#ready.slice(this.#taken);
  }

  drop(): void {
    this.#taken = this.#ready.length = 0;
  }

  /** Waits for the network until there is an event to read or the stream has ended. */
  async receive(): Promise<void> {
    let hasLookedAgain = false;
    while (!this.hasEvent && this.ending === undefined) {
      const { limit, left } = this.#nextLimit();
      const isOver = left <= 0;
      // Bytes may have come while nobody waited, so there is a last look at the network. There is only one, and none
      // beyond the limit of the whole stream: data that is always there must not outrun a limit.
      if (isOver && (hasLookedAgain || limit === "stream")) {
        this.exceed(limit);
        continue;
      }
      const result = await this.#read(Math.max(left, 0));
      hasLookedAgain = isOver || result === undefined;
      if (result !== undefined) this.#decode(result);
    }
  }

  /** Returns the limit that is reached first, and the milliseconds until then. */
  #nextLimit(): { readonly limit: Limit; readonly left: number } {
    const { idle, event, reorder, stream } = this.#limits;
    const left: Readonly<Record<Limit, number>> = {
      idle: this.#bytesAt + idle - this.#waited,
      event: this.#eventAt + event - this.#waited,
      reorder: this.#reorder.heldSince + reorder - this.#waited,
      stream: this.#call.startedAt + stream - performance.now(),
    };
    let limit: Limit = "idle";
    for (const other of ["event", "reorder", "stream"] as const) if (left[other] < left[limit]) limit = other;
    return { limit, left: left[limit] };
  }

  /** Ends the stream at a deadline: that of the whole also while nobody reads it. */
  exceed(limit: Limit): void {
    if (limit === "reorder") this.#reorder.giveUp();
    else this.end(stalled(limit, this.#limits[limit]));
  }

  /**
   * Returns the next chunk of the body, or its end. If neither comes within `timeout` milliseconds it returns undefined,
   * and the chunk comes with a later call.
   */
  async #read(timeout: number): Promise<ReadResult | undefined> {
    const startedAt = performance.now();
    this.#reading ??= this.#body?.read().catch((error: unknown) => ({ error })) ?? Promise.resolve({});
    const result = await before(timeout, this.#reading);
    this.#waited += performance.now() - startedAt;
    if (result !== undefined) this.#reading = undefined;
    return result;
  }

  /** Makes ready the events that the next chunk of the body completes, or its end. */
  #decode({ value, error }: ReadResult): void {
    this.#bytesAt = this.#waited;
    if (value === undefined) {
      this.#hasBodyEnded = true;
      this.#framing.end();
      this.end(truncated(summarize(error, this.#call.secrets)));
      return;
    }
    const { text, isValid } = this.#utf8.decode(value);
    this.#framing.push(text);
    if (!isValid) this.end(damaged(this.#call, undefined, "it is not UTF-8"));
  }

  #brokenBy({ reason, text }: FramingError): FailedEnding {
    if (reason === "damagedEvent") return damaged(this.#call, text, notJson);
    if (reason !== "tooLarge") {
      return failed(unexpectedResponseError(this.#call, this.#call.response, { reason, text }));
    }
    const advice = "Raise `stream.maxEventBytes` if you expect such events.";
    return unusable(reason, `an event was larger than ${this.maxEventBytes} bytes. ${advice}`);
  }

  #readEvent(data: string, name: string | undefined): void {
    if (this.ending !== undefined) return;
    const body = parseJson(data);
    // The last event of a body that was cut is not damaged: the cut is reported.
    if (body === undefined && this.#hasBodyEnded) return;
    // Nor does an event of another name end anything (docs/assumptions.md, A6), such as a heartbeat with a time.
    if (!isObject(body) && name !== undefined && !partNames.test(name)) return;
    const parsed = isObject(body)
      ? parseEvent(this.#call, body, name, this.#isFirst)
      : damaged(this.#call, data, body === undefined ? notJson : "it is not a JSON object");
    if ("state" in parsed) {
      this.end(parsed);
      return;
    }
    const { event, issues, isWhole } = parsed;
    this.#isFirst &&= !partNames.test(event.event) && !("context_token" in event);
    const found = this.#order?.note(event, isWhole) ?? none;
    const isStrict = this.#call.options.validation?.response === "strict";
    // A whole response that belongs to another request is refused, too; an order can be mended.
    const broken = isStrict && this.#order?.hasOtherEcho ? found.at(-1) : undefined;
    if (broken !== undefined) {
      const what = `the response belongs to another conversation: ${formatPath(broken.path)} ${broken.message}.`;
      this.end(unusable("damagedEvent", what, redactJson(event, this.#call.secrets)));
      return;
    }
    if (issues.length + found.length > 0) this.#addDrift(event, [...issues, ...found]);
    this.#eventAt = this.#waited;
    if (event.event === "response_completed") this.end({ state: "completed" });
    if (event.event === "response_output") this.#reorder.push(event, this.#waited);
    else this.#ready.push(event);
  }

  /**
   * Adds the issues of an event, one for each place in the stream's life, and reports the places that are new. They are
   * fields of our schemas: few, and without a name that is personal data.
   */
  #addDrift({ event }: AiEvent, issues: readonly ValidationIssue[]): void {
    const paths: string[] = [];
    for (const issue of issues) {
      const path = [event, ...issue.path];
      const place = path.join(".");
      if (this.#places.has(`${place} ${issue.code}`)) continue;
      this.#places.add(`${place} ${issue.code}`);
      paths.push(place);
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
    this.#call.scope.stopTimers();
    this.#reorder.flush();
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
  return parseJson(eventsIn(text, null)[0] ?? "") ?? whole;
}

function msOf(timeout: number | false | undefined): number {
  return typeof timeout === "number" ? timeout : Number.POSITIVE_INFINITY;
}

/**
 * Reads one event: its status, then whether it has the shape that the document shows (§6.1).
 *
 * @param outer - The name that the framing gives it.
 * @returns The event, or the end of the stream: a refusal in place of it (no event, whatever the framing calls it), the
 *   service's word that the generation failed (§3.1 names the status, not the event), or damage.
 */
function parseEvent(
  call: StreamingCall,
  body: Record<string, unknown>,
  outer: string | undefined,
  isFirst: boolean,
): ParsedEvent | FailedEnding {
  const inner = typeof body.event === "string" ? body.event : undefined;
  const name = inner ?? outer;
  // A name outside the data counts if it is that of an event (§6.1); `event: error` is the framing's.
  const isBody = isFirst && inner === undefined && !outer?.startsWith("response_");
  // `message` is the name of all events that have none (SSE).
  const isNameless = isBody && (outer === undefined || outer === "message");
  // An unknown event ends nothing (docs/assumptions.md, A6) unless its status, and not the code alone, is FAILED.
  const isUnknown = name !== undefined && !shapes.has(name) && !isNameless;
  // Read as on every other operation (docs/assumptions.md, A1); that of most events is known without.
  const verdict =
    body.status === "PROCESSING" ? "pending" : readEnvelope(isUnknown ? { status: body.status } : body).verdict;
  if (isNameless && typeof field(body.system, "text") === "string" && /^(success|unknown)$/.test(verdict)) {
    return checkShape(call, body, "response_completed", true);
  }
  if (verdict === "failed" || (isNameless && verdict === "pending")) {
    const error = apiError(call, call.response, body);
    return isBody ? failed(error) : refused(error);
  }
  if (name === undefined) return damaged(call, body, "it has no `event` and is not a whole response");
  if (verdict === "pending" && name === "response_completed") {
    return damaged(call, body, "it is a response_completed whose status is not SUCCESS");
  }
  return checkShape(call, body, name, false);
}

function checkShape(
  call: StreamingCall,
  body: Record<string, unknown>,
  name: string,
  isWhole: boolean,
): ParsedEvent | FailedEnding {
  const shape = shapes.get(name);
  const validation = call.options.validation?.response;
  const named = body.event === name ? body : { ...body, event: name };
  // The checked border: an event of a known name has been checked, as far as `validation` asks for.
  const event = named as unknown as AiEvent;
  if (shape === undefined || validation === "off" || shape.schema.passes(named))
    return { event, issues: none, isWhole };
  const issues = explain(shape.schema, named);
  const [broken] = validation === "strict" ? issues : essentialIssues(shape.essential, issues);
  if (broken !== undefined) return damaged(call, body, `${formatPath(broken.path)} ${broken.message}`);
  return { event, issues, isWhole };
}

/** @param why - It never quotes the body. */
function damaged({ secrets }: StreamingCall, received: unknown, why: string): FailedEnding {
  const body = received === undefined ? undefined : redactJson(received, secrets);
  return unusable("damagedEvent", `an event could not be read: ${why}.`, body);
}

/** Names of the parts of a response, and not that of a heartbeat. */
const partNames = /^(?:response_.*|message|error)$/i;

const notJson = "it is not JSON";

/** The schema of each event that the document shows, and the fields without which it is damaged. */
const shapes = new Map<string, { readonly schema: Schema<AiEvent>; readonly essential: readonly string[] }>([
  ["response_initiated", { schema: responseInitiated, essential: [] }],
  ["response_output", { schema: responseOutput, essential: ["system.text_chunk"] }],
  ["response_completed", { schema: responseCompleted, essential: ["context_token", "system.text"] }],
]);
