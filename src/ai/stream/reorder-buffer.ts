import type { Issue } from "../../errors/base.ts";
import type { ResponseOutput } from "../types.ts";

/** A list of warnings. */
export interface WarningList {
  add(issue: Issue): void;
}

/** A clock that stands still unless the network is waited for, in milliseconds. */
export interface Clock {
  readonly now: number;
}

/** The number of chunks that are held back for missing ones (docs/assumptions.md, I2). */
const maxHeld = 32;
/** The number of gaps that are remembered, to tell a late chunk from a duplicate. */
const maxGaps = 32;
/**
 * The first number of most texts. Some begin one lower, so a first chunk of this number may have overtaken that one.
 */
const usualStart = 1;

type Chunks = readonly ResponseOutput[];
const none: Chunks = [];

interface HeldChunk {
  readonly event: ResponseOutput;
  /** The time of its arrival. */
  readonly since: number;
}

/**
 * Puts the chunks of a stream into the order of their `sequence_no` (§2.3; docs/assumptions.md, I2).
 *
 * The document states neither the first number nor that the numbers are contiguous. While they mostly are, a chunk that
 * arrives early is held back for the missing ones; if they are not, no chunk is held back. A stream that starts above 1
 * looks like one whose first chunks are late, so its beginning is held back too. A stream that starts at 1 probably
 * starts there: its first chunk waits until another one arrives, or for a moment (`mayBeStart`).
 */
export class ReorderBuffer {
  readonly #warnings: WarningList;
  readonly #clock: Clock;
  // Most streams are in order: they have the first of these two for a moment, and never the second.
  /** In the order of arrival; undefined while it would be empty. */
  #held: Map<number, HeldChunk> | undefined;
  /** Numbers that were passed over, from first to last, the newest at the end. */
  #gaps: { readonly from: number; readonly to: number }[] | undefined;
  /** Gaps up to this number were forgotten: whether a number came is no longer known. */
  #forgotten = Number.NEGATIVE_INFINITY;
  #first = 0;
  #last: number | undefined;
  #steps = 0;
  #jumps = 0;

  constructor(warnings: WarningList, clock: Clock) {
    this.#warnings = warnings;
    this.#clock = clock;
  }

  /** The time of arrival, by the clock, of the chunk that has been held back for longest; `undefined` if none is. */
  get heldSince(): number | undefined {
    return this.#oldest()?.since;
  }

  /** Whether the only chunk held back is probably the first: it deserves a shorter wait than an early one. */
  get mayBeStart(): boolean {
    return this.#last === undefined && this.#held?.size === 1 && this.#held.has(usualStart);
  }

  /** Lets a chunk pass that follows the last one while none is held back. `push` finds the place of any other. */
  passes({ sequence_no: number }: ResponseOutput): boolean {
    if (this.#last === undefined || number !== this.#last + 1 || this.#held !== undefined) return false;
    this.#last = number;
    this.#steps++;
    return true;
  }

  /** Returns the chunks that are ready now, in order: this one, others that waited for it, or none. */
  push(event: ResponseOutput): Chunks {
    const start = event.sequence_no === usualStart - 1 ? none : this.acceptStart();
    const ready = this.#place(event);
    return start.length === 0 ? ready : [...start, ...ready];
  }

  /**
   * Returns a first chunk of 1 that was held back: what comes after it, and is not 0, shows that the text starts there.
   */
  acceptStart(): Chunks {
    return this.mayBeStart ? this.giveUpOldest() : none;
  }

  /**
   * Stops waiting for the chunks before the one that has been held back for longest, and returns what that makes ready.
   */
  giveUpOldest(): Chunks {
    const oldest = this.#oldest();
    return oldest === undefined ? none : this.#releaseUpTo(oldest.event.sequence_no);
  }

  /** Stops waiting for missing chunks and returns all that are held back, in order. */
  flush(): Chunks {
    return this.#releaseUpTo(Number.POSITIVE_INFINITY);
  }

  #place(event: ResponseOutput): Chunks {
    const number = event.sequence_no;
    // Without a number there is no better order than that of arrival; the drift is reported by the schema.
    if (!Number.isInteger(number)) return [event];
    if (this.#isNext(number)) return this.#advance(event);
    if (this.#isPast(number) || this.#held?.has(number)) return this.#handleLateOrDuplicate(event);
    return this.#hold(event);
  }

  #isNext(number: number): boolean {
    if (this.#last !== undefined) return number === this.#last + 1;
    // A later one that waits already shows that 1 is no early one.
    return number < usualStart || (number === usualStart && this.#held !== undefined);
  }

  #isPast(number: number): boolean {
    return this.#last !== undefined && number <= this.#last;
  }

  #oldest(): HeldChunk | undefined {
    return this.#held?.values().next().value;
  }

  #hold(event: ResponseOutput): Chunks {
    this.#held ??= new Map();
    this.#held.set(event.sequence_no, { event, since: this.#clock.now });
    if (this.#jumps > this.#steps) return this.flush();
    // Chunks behind a second gap go on waiting for it.
    return this.#held.size > maxHeld ? this.#releaseUpTo(Math.min(...this.#held.keys())) : none;
  }

  #releaseUpTo(highest: number): Chunks {
    if (this.#held === undefined) return none;
    const due = [...this.#held.keys()].filter((number) => number <= highest).sort((a, b) => a - b);
    return due.flatMap((number) => {
      // One that followed another is out already.
      const held = this.#held?.get(number);
      return held === undefined ? none : this.#advance(held.event);
    });
  }

  /** Returns the chunk and those held back that follow it without a gap. */
  #advance(event: ResponseOutput): Chunks {
    const ready: ResponseOutput[] = [];
    let next: ResponseOutput | undefined = event;
    while (next !== undefined) {
      ready.push(next);
      this.#moveTo(next.sequence_no);
      next = this.#held?.get(next.sequence_no + 1)?.event;
    }
    return ready;
  }

  #moveTo(number: number): void {
    if (this.#held?.delete(number) && this.#held.size === 0) this.#held = undefined;
    if (this.#last === undefined) this.#first = number;
    else if (number === this.#last + 1) this.#steps++;
    else this.#passOver(this.#last + 1, number - 1);
    this.#last = number;
  }

  #passOver(from: number, to: number): void {
    this.#jumps++;
    this.#remember(from, to);
    this.#warn("sequence_gap", `${from === to ? from : `${from} to ${to}`} did not come`);
  }

  /** Handles a number at or below the last one: late, before the first, or a duplicate. */
  #handleLateOrDuplicate(event: ResponseOutput): Chunks {
    const number = event.sequence_no;
    if (this.#takeFromGap(number)) {
      this.#warn("sequence_late", `${number} came after later ones had been passed on`);
      return [event];
    }
    if (number <= this.#forgotten) {
      this.#warn("sequence_late", `${number} came too late to tell whether it had come before; it was dropped`);
    } else this.#warn("sequence_duplicate", `${number} came twice; one was dropped`);
    return none;
  }

  #warn(code: string, message: string): void {
    this.#warnings.add({ path: ["sequence_no"], code, message });
  }

  /** Returns whether the number was missing so far; it is not any more. */
  #takeFromGap(number: number): boolean {
    if (number < this.#first) {
      this.#remember(number + 1, this.#first - 1);
      this.#first = number;
      return true;
    }
    const gap = this.#gaps?.find(({ from, to }) => number >= from && number <= to);
    if (gap === undefined) return false;
    this.#gaps = this.#gaps?.filter((other) => other !== gap);
    this.#remember(gap.from, number - 1);
    this.#remember(number + 1, gap.to);
    return true;
  }

  #remember(from: number, to: number): void {
    if (from > to) return;
    this.#gaps ??= [];
    this.#gaps.push({ from, to });
    if (this.#gaps.length > maxGaps) this.#forgotten = Math.max(this.#forgotten, this.#gaps.shift()?.to ?? 0);
  }
}
