import type { Issue } from "../../errors/base.ts";
import { chunkOf } from "../events.ts";
import type { AiEvent, ResponseOutput } from "../types.ts";

/** A list of warnings. */
export interface WarningList {
  add(issue: Issue): void;
}

/** A clock that stands still unless the network is waited for, in milliseconds. */
export interface Clock {
  readonly now: number;
}

/** The number of chunks that are held back for a missing one (docs/assumptions.md, I2). */
const maxHeld = 8;
/** The number of chunks that are remembered, to tell a duplicate from a late one. A power of two. */
const maxRemembered = 32;

/**
 * Passes the chunks of a stream on in the order of their `sequence_no` (§2.3; docs/assumptions.md, I2).
 *
 * Chunks of one body cannot overtake each other on the wire: a service that numbers them in several workers may swap
 * neighbours, no more. So the first chunk is passed on at once, and one that is ahead is held back for the missing one.
 * Every other chunk is passed on as it arrives, unless it is a duplicate: a number that is wrong must not lose text.
 */
export class ReorderBuffer {
  readonly #ready: AiEvent[];
  readonly #warnings: WarningList;
  readonly #clock: Clock;
  /** By number. */
  readonly #held: { readonly event: ResponseOutput; readonly since: number }[] = [];
  /** The text of a number that was passed on; `undefined` if it had several. */
  readonly #remembered: { readonly number: number; readonly text: string | undefined }[] = [];
  #next: number | undefined;
  #steps = 0;
  #gaps = 0;

  /** @param ready - Receives the chunks that are ready. */
  constructor(ready: AiEvent[], warnings: WarningList, clock: Clock) {
    this.#ready = ready;
    this.#warnings = warnings;
    this.#clock = clock;
  }

  /** The time of arrival, by the clock, of the chunk that has been held back for longest; `undefined` if none is. */
  get heldSince(): number | undefined {
    return this.#held.length === 0 ? undefined : Math.min(...this.#held.map(({ since }) => since));
  }

  /** Adds a chunk: it is ready, and others that waited for it, or it is held back. */
  push(event: ResponseOutput): void {
    const { sequence_no: number } = event;
    if (Number.isInteger(number) && this.#next !== undefined && number > this.#next) this.#hold(event);
    else {
      this.#pass(event);
      this.#release(Number.NEGATIVE_INFINITY);
    }
  }

  /** Stops waiting for what precedes the chunk that has been held back for longest. */
  giveUp(): void {
    const oldest = this.heldSince;
    const { event } = this.#held.find(({ since }) => since === oldest) ?? {};
    if (event !== undefined) this.#release(event.sequence_no);
  }

  /** Stops waiting for missing chunks. */
  flush(): void {
    this.#release(Number.POSITIVE_INFINITY);
  }

  #hold(event: ResponseOutput): void {
    const place = this.#held.findLastIndex((held) => held.event.sequence_no <= event.sequence_no) + 1;
    this.#held.splice(place, 0, { event, since: this.#clock.now });
    // Where most numbers are missing, they are not contiguous, and there is nothing to wait for.
    if (this.#gaps > this.#steps) this.flush();
    else if (this.#held.length > maxHeld) this.giveUp();
  }

  /** Passes on what is held back up to a number, and what follows without a gap. */
  #release(highest: number): void {
    for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
      if (first.event.sequence_no > Math.max(highest, this.#next ?? highest)) return;
      this.#held.shift();
      this.#pass(first.event);
    }
  }

  #pass(event: ResponseOutput): void {
    // Without a number there is no better order than that of arrival; the drift is reported by the schema.
    if (!Number.isInteger(event.sequence_no) || this.#isNew(event.sequence_no, chunkOf(event))) this.#ready.push(event);
  }

  /** Notes a number whose turn it is, with its text. Returns false for a duplicate. */
  #isNew(number: number, text: string): boolean {
    const next = this.#next ?? number;
    const place = number & (maxRemembered - 1);
    const before = this.#remembered[place];
    const isAgain = number < next && before?.number === number;
    if (isAgain && before.text === text) {
      this.#warn("sequence_duplicate", `${number} came twice with the same text; one was dropped`);
      return false;
    }
    if (isAgain) this.#warn("sequence_repeated", `${number} came again with different text; both were passed on`);
    else if (number < next) this.#warn("sequence_late", `${number} came after later ones had been passed on`);
    else if (number === this.#next) this.#steps++;
    else if (number > next) {
      this.#gaps++;
      this.#warn("sequence_gap", `${number - 1 === next ? next : `${next} to ${number - 1}`} did not come`);
    }
    this.#next = Math.max(next, number + 1);
    this.#remembered[place] = { number, text: isAgain ? undefined : text };
    return true;
  }

  #warn(code: string, message: string): void {
    this.#warnings.add({ path: ["sequence_no"], code, message });
  }
}
