import type { ValidationIssue } from "../../errors/base.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import type { AiEvent, ResponseOutput } from "../types.ts";

/** The number of chunks that are held for a missing one (docs/assumptions.md, I2). */
const maxHeld = 8;
/** The number of chunks that are remembered, to tell a duplicate from a late one. */
const maxRemembered = 32;

/**
 * Passes the chunks of a stream on in the order of their `sequence_no` (§2.3; docs/assumptions.md, I2).
 *
 * Chunks of one body cannot overtake each other on the wire: a service that numbers them in several workers may swap
 * neighbours, no more. So the first chunk is passed on at once, and one that is ahead is held for the missing one.
 * Every other chunk is passed on as it arrives, unless it is a duplicate: a wrong number must not lose text.
 */
export class ReorderBuffer {
  readonly #ready: AiEvent[];
  readonly #warn: (code: string, message: string) => void;
  /** By number. */
  readonly #held: { readonly event: ResponseOutput; readonly since: number }[] = [];
  /** The text of each number that was passed on lately; undefined if it had several. */
  readonly #texts = new Map<number, string | undefined>();
  #next: number | undefined;

  /**
   * @param ready - Receives the chunks that are ready.
   * @param warn - Receives the code and message of a warning.
   */
  constructor(ready: AiEvent[], warn: (code: string, message: string) => void) {
    this.#ready = ready;
    this.#warn = warn;
  }

  /** The time of arrival of the chunk that has been held for longest; undefined if none is. */
  get heldSince(): number | undefined {
    return this.#held.length === 0 ? undefined : Math.min(...this.#held.map(({ since }) => since));
  }

  /** Adds a chunk that arrives `now`. */
  push(event: ResponseOutput, now: number): void {
    const { sequence_no: number } = event;
    if (Number.isInteger(number) && this.#next !== undefined && number > this.#next) {
      const place = this.#held.findLastIndex((held) => held.event.sequence_no <= number) + 1;
      this.#held.splice(place, 0, { event, since: now });
      if (this.#held.length > maxHeld) this.giveUp();
    } else {
      this.#pass(event);
      this.#release(Number.NEGATIVE_INFINITY);
    }
  }

  /** Stops waiting for the chunks that are missing before the first one that is held. */
  giveUp(): void {
    this.#release(this.#held[0]?.event.sequence_no ?? Number.NEGATIVE_INFINITY);
  }

  /** Stops waiting for any missing chunk. */
  flush(): void {
    this.#release(Number.POSITIVE_INFINITY);
  }

  /** Passes on the chunks that are held up to a number, and those that follow without a gap. */
  #release(highest: number): void {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      if (first.event.sequence_no > Math.max(highest, this.#next ?? highest)) return;
      this.#held.shift();
      this.#pass(first.event);
    }
  }

  #pass(event: ResponseOutput): void {
    // Without a number there is no better order than that of arrival; the schema reports the difference.
    if (!Number.isInteger(event.sequence_no) || this.#isNew(event.sequence_no, chunkOf(event))) this.#ready.push(event);
  }

  /** Notes a number that is passed on, with its text. Returns false for a duplicate. */
  #isNew(number: number, text: string): boolean {
    const next = this.#next ?? number;
    const isRepeated = this.#texts.has(number);
    if (isRepeated && this.#texts.get(number) === text) {
      this.#warn("sequence_duplicate", `${number} came twice with the same text; one was dropped`);
      return false;
    }
    if (isRepeated) this.#warn("sequence_repeated", `${number} came again with different text; both were passed on`);
    else if (number < next) this.#warn("sequence_late", `${number} came after later ones had been passed on`);
    else if (number > next) {
      this.#warn("sequence_gap", `${number - 1 === next ? next : `${next} to ${number - 1}`} did not come`);
    }
    this.#next = Math.max(next, number + 1);
    this.#texts.set(number, isRepeated ? undefined : text);
    if (this.#texts.size > maxRemembered) this.#texts.delete(this.#texts.keys().next().value ?? number);
    return true;
  }
}

/**
 * The order of events: one `response_initiated`, then outputs, then one `response_completed` (§6.1), all of one message
 * and of the conversation that was sent (§2.3). Another stream can still be read, so it is reported and not refused.
 */
export class EventOrder {
  readonly #echoes: (event: AiEvent) => readonly ValidationIssue[];
  #isInitiated = false;
  #hasOutput = false;
  #hasText = false;
  #contextToken: unknown;
  #messageId: unknown;
  #hasOtherEcho = false;

  /** @param echoes - Returns the issues of the fields of an event that repeat another request. */
  constructor(echoes: (event: AiEvent) => readonly ValidationIssue[]) {
    this.#echoes = echoes;
  }

  /**
   * Returns the issues of an event's place.
   *
   * @param isWhole - Whether it is a whole response, which came in place of a stream.
   */
  note(event: AiEvent, isWhole: boolean): readonly ValidationIssue[] {
    if (event.event === "response_output") {
      this.#hasOutput = true;
      this.#hasText ||= chunkOf(event) !== "";
      return this.#noteMessage(event);
    }
    const issues: ValidationIssue[] = [];
    if (event.event === "response_initiated") {
      if (this.#isInitiated)
        issues.push(issue("event", "initiated_repeated", "came a second time; the last one counts"));
      else if (this.#hasOutput) issues.push(issue("event", "initiated_late", "came after the first response_output"));
      this.#isInitiated = true;
      this.#contextToken = event.context_token;
    } else if (event.event !== "response_completed") {
      return issues;
    } else if (!isWhole) {
      issues.push(...this.#noteMessage(event));
      if (!this.#isInitiated) {
        issues.push(issue("event", "initiated_missing", "came without a response_initiated before it"));
      } else if (typeof this.#contextToken === "string" && event.context_token !== this.#contextToken) {
        const message = "is not that of response_initiated; this one counts";
        issues.push(issue("context_token", "context_token_changed", message));
      }
      if (this.#hasText && fullTextOf(event) === "") {
        issues.push(issue("system.text", "final_text_empty", "is empty, although chunks with text came"));
      }
    }
    const echoes = this.#hasOtherEcho ? none : this.#echoes(event);
    this.#hasOtherEcho ||= echoes.length > 0;
    return [...issues, ...echoes];
  }

  #noteMessage({ system }: { readonly system?: { readonly msg_id?: unknown } | null }): readonly ValidationIssue[] {
    const id = system?.msg_id;
    if (typeof id !== "string") return none;
    this.#messageId ??= id;
    return id === this.#messageId ? none : [issue("system.msg_id", "msg_id_changed", "is not that of the first chunk")];
  }
}

const none: readonly ValidationIssue[] = [];

function issue(place: string, code: string, message: string): ValidationIssue {
  return { path: place.split("."), code, message };
}
