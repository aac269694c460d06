import type { Issue } from "../../errors/base.ts";
import type { ResponseOutput } from "../types.ts";

/** Where chunks go once their turn has come. */
export interface ChunkSink {
  deliver(event: ResponseOutput): void;
  warn(issue: Issue): void;
}

/** Tells how long the network was waited for so far, in milliseconds. */
export interface Clock {
  readonly now: number;
}

/** How many chunks are held back for missing ones (docs/assumptions.md, I2). */
const mostHeld = 32;
/** How many gaps are remembered, to tell a late chunk from one that was sent twice. */
const mostGaps = 32;
/** The first number of most texts. Some begin one lower, so a first chunk of this number may have overtaken that one. */
const usualStart = 1;

interface Held {
  readonly event: ResponseOutput;
  /** When it came, by the clock of the order. */
  readonly since: number;
}

/**
 * Puts the chunks of a text into the order of their `sequence_no` (§2.3; docs/assumptions.md, I2).
 *
 * Neither where the numbers start is documented, nor that they are contiguous. While they mostly are, a chunk that comes
 * early is held back for the missing ones; if they are not, nothing is. A text that starts above 1 looks like one whose
 * first chunks are late, so its beginning is held back too. One that starts at 1 is probably what it seems: its first
 * chunk waits until another one comes, or for a moment (`mayBeStart`).
 */
export class ChunkOrder {
  readonly #sink: ChunkSink;
  readonly #clock: Clock;
  // Most streams are in order and never make either of these two.
  /** In the order of arrival. */
  #held: Map<number, Held> | undefined;
  /** Numbers that were passed over, from first to last, the newest at the end. */
  #gaps: { readonly from: number; readonly to: number }[] | undefined;
  /** Up to here gaps were forgotten: whether a number came is not known any more. */
  #forgotten = Number.NEGATIVE_INFINITY;
  #first = 0;
  #last: number | undefined;
  #steps = 0;
  #jumps = 0;

  /** @param clock - By which {@link heldSince} is told. */
  constructor(sink: ChunkSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** When the chunk came that is held back for longest; `undefined` if none is. */
  get heldSince(): number | undefined {
    return this.#oldest()?.since;
  }

  /** Whether the only chunk held back is probably the first: it deserves a shorter wait than an early one. */
  get mayBeStart(): boolean {
    return this.#last === undefined && this.#held?.size === 1 && this.#held.has(usualStart);
  }

  push(event: ResponseOutput): void {
    const number = event.sequence_no;
    if (number !== usualStart - 1) this.acceptStart();
    // Without a number there is no better order than that of arrival; the drift is reported by the schema.
    if (!Number.isInteger(number)) this.#sink.deliver(event);
    else if (this.#isNext(number)) this.#advance(event);
    else if (this.#isPast(number) || this.#held?.has(number)) this.#pushPast(event);
    else this.#hold(event);
  }

  /** What comes after a first chunk of 1, and is not 0, shows that the text starts there. */
  acceptStart(): void {
    if (this.mayBeStart) this.giveUpOldest();
  }

  /** Stops waiting for what the chunk needs that is held back for longest, and gives it. */
  giveUpOldest(): void {
    this.#releaseUpTo(this.#oldest()?.event.sequence_no);
  }

  /** Stops waiting for anything and gives what is held back, in order. */
  flush(): void {
    this.#releaseUpTo(Number.POSITIVE_INFINITY);
  }

  #isNext(number: number): boolean {
    if (this.#last !== undefined) return number === this.#last + 1;
    // A later one that waits already shows that 1 is no early one.
    return number < usualStart || (number === usualStart && this.#held !== undefined);
  }

  #isPast(number: number): boolean {
    return this.#last !== undefined && number <= this.#last;
  }

  #oldest(): Held | undefined {
    return this.#held?.values().next().value;
  }

  #hold(event: ResponseOutput): void {
    this.#held ??= new Map();
    this.#held.set(event.sequence_no, { event, since: this.#clock.now });
    if (this.#jumps > this.#steps) this.flush();
    // What is behind a second gap goes on waiting for it.
    else if (this.#held.size > mostHeld) this.#releaseUpTo(Math.min(...this.#held.keys()));
  }

  #releaseUpTo(highest: number | undefined): void {
    if (this.#held === undefined || highest === undefined) return;
    const due = [...this.#held.keys()].filter((number) => number <= highest).sort((a, b) => a - b);
    for (const number of due) {
      // One that followed another is out already.
      const held = this.#held.get(number);
      if (held !== undefined) this.#advance(held.event);
    }
  }

  #advance(event: ResponseOutput): void {
    const number = event.sequence_no;
    this.#held?.delete(number);
    if (this.#last === undefined) this.#first = number;
    else if (number === this.#last + 1) this.#steps++;
    else this.#passOver(this.#last + 1, number - 1);
    this.#last = number;
    this.#sink.deliver(event);
    const next = this.#held?.get(number + 1);
    if (next !== undefined) this.#advance(next.event);
  }

  #passOver(from: number, to: number): void {
    this.#jumps++;
    this.#remember(from, to);
    this.#sink.warn({ path: ["sequence_no"], code: "sequence_gap", message: `${range(from, to)} did not come` });
  }

  /** A number that is not awaited: of a chunk that was given up, from before the first, or that came already. */
  #pushPast(event: ResponseOutput): void {
    const number = event.sequence_no;
    const isLate = this.#takeFromGap(number);
    const isForgotten = !isLate && number <= this.#forgotten;
    this.#sink.warn({
      path: ["sequence_no"],
      code: isLate || isForgotten ? "sequence_late" : "sequence_duplicate",
      message: isLate
        ? `${number} came after later ones had been passed on`
        : isForgotten
          ? `${number} came too late to tell whether it had come before; it was dropped`
          : `${number} came twice; one was dropped`,
    });
    if (isLate) this.#sink.deliver(event);
  }

  /** Whether the number was missing so far; it is not any more. */
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
    if (this.#gaps.length > mostGaps) this.#forgotten = Math.max(this.#forgotten, this.#gaps.shift()?.to ?? 0);
  }
}

function range(from: number, to: number): string {
  return from === to ? `${from}` : `${from} to ${to}`;
}
