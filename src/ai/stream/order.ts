import type { ValidationIssue } from "../../errors/base.ts";
import { isString } from "../../shared/json.ts";
import { readEchoes } from "../../transport/echo.ts";
import { readEnvelope } from "../../transport/envelope.ts";
import { notSuccess } from "../../transport/read-response.ts";
import type { StreamingCall } from "../../transport/request.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import type { AiEvent, ResponseOutput } from "../types.ts";

/** The number of chunks that are held for a missing one (docs/assumptions.md, I2). */
const maxHeld = 8;
/** A number is remembered until another with the same remainder comes, to tell a duplicate from a late chunk. */
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
  readonly #numbers: number[] = [];
  /** The text of each of those numbers; undefined if it had several. */
  readonly #texts: (string | undefined)[] = [];
  #next: number | undefined;

  /**
   * @param ready - Receives the chunks that are ready.
   * @param warn - Receives the code and message of a warning.
   */
  constructor(ready: AiEvent[], warn: (code: string, message: string) => void) {
    this.#ready = ready;
    this.#warn = warn;
  }

  /** The time of arrival of the chunk that has been held for longest; infinite if none is. */
  get heldSince(): number {
    return Math.min(...this.#held.map(({ since }) => since));
  }

  /** Adds a chunk that arrives `now`. */
  push(event: ResponseOutput, now: number): void {
    const { sequence_no: number } = event;
    // Without a number there is no better order than that of arrival; the schema reports the difference.
    if (!Number.isInteger(number)) {
      this.#ready.push(event);
      return;
    }
    if (this.#held.length === 0 && number <= (this.#next ?? number)) {
      this.#pass(event);
      return;
    }
    const place = this.#held.findLastIndex((held) => held.event.sequence_no <= number) + 1;
    this.#held.splice(place, 0, { event, since: now });
    this.#passHeld(maxHeld);
  }

  /** Stops waiting for the chunks that are missing before the first one that is held. */
  giveUp(): void {
    this.#passHeld(this.#held.length - 1);
  }

  flush(): void {
    this.#passHeld(0);
  }

  /** Passes on the chunks whose turn it is, and the first ones if more than `most` are held. */
  #passHeld(most: number): void {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      if (first.event.sequence_no > (this.#next ?? 0) && this.#held.length <= most) return;
      this.#held.shift();
      this.#pass(first.event);
    }
  }

  #pass(event: ResponseOutput): void {
    const { sequence_no: number } = event;
    const text = chunkOf(event);
    const next = this.#next ?? number;
    const place = Math.abs(number % maxRemembered);
    const isRepeated = this.#numbers[place] === number;
    if (isRepeated && this.#texts[place] === text) {
      this.#warn("sequence_duplicate", `${number} came twice with the same text; one was dropped`);
      return;
    }
    if (isRepeated) this.#warn("sequence_repeated", `${number} came again with different text; both were passed on`);
    else if (number < next) this.#warn("sequence_late", `${number} came after later ones had been passed on`);
    else if (number > next) {
      this.#warn("sequence_gap", `${number - 1 === next ? next : `${next} to ${number - 1}`} did not come in time`);
    }
    this.#next = Math.max(next, number + 1);
    this.#numbers[place] = number;
    this.#texts[place] = isRepeated ? undefined : text;
    this.#ready.push(event);
  }
}

/**
 * The order of events: one `response_initiated`, then outputs, then one `response_completed` (§6.1), all of one message
 * and of the conversation that was sent (§2.3). Another stream can still be read, so it is reported and not refused.
 */
export class EventOrder {
  readonly #call: StreamingCall;
  #isInitiated = false;
  #hasOutput = false;
  #hasText = false;
  #contextToken: unknown;
  #messageId: unknown;
  /** Whether an event repeated another request. That is reported once, as the last issue of the event. */
  hasOtherEcho = false;

  constructor(call: StreamingCall) {
    this.#call = call;
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
      return this.#isOfMessage(event) ? none : [otherMessage];
    }
    const found: ValidationIssue[] = [];
    const check = (isFound: boolean, path: string[], code: string, message: string) => {
      if (isFound) found.push({ path, code, message });
    };
    if (event.event === "response_initiated") {
      check(this.#isInitiated, ["event"], "initiated_repeated", "came a second time; the last one counts");
      const isLate = !this.#isInitiated && this.#hasOutput;
      check(isLate, ["event"], "initiated_late", "came after the first response_output");
      this.#isInitiated = true;
      this.#contextToken = event.context_token;
    } else if (event.event === "response_completed") {
      if (!this.#isOfMessage(event)) found.push(otherMessage);
      if (isString(event.status) && readEnvelope(event).verdict === "unknown") found.push(notSuccess);
      const isMissing = !this.#isInitiated && !isWhole;
      check(isMissing, ["event"], "initiated_missing", "came without a response_initiated before it");
      const isOther = isString(this.#contextToken) && event.context_token !== this.#contextToken;
      const otherToken = "is not that of response_initiated; this one counts";
      check(isOther, ["context_token"], "context_token_changed", otherToken);
      const isEmptied = this.#hasText && fullTextOf(event) === "";
      check(isEmptied, ["system", "text"], "final_text_empty", "is empty, although chunks with text came");
    } else return none;
    const echoes = this.hasOtherEcho ? none : readEchoes(this.#call, event).warned;
    this.hasOtherEcho ||= echoes.length > 0;
    return [...found, ...echoes];
  }

  #isOfMessage({ system }: { readonly system?: { readonly msg_id?: unknown } | null }): boolean {
    const id = system?.msg_id;
    if (typeof id !== "string") return true;
    this.#messageId ??= id;
    return id === this.#messageId;
  }
}

const none: readonly ValidationIssue[] = [];
const otherMessage: ValidationIssue = {
  path: ["system", "msg_id"],
  code: "msg_id_changed",
  message: "is not that of the first chunk",
};
