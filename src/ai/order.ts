import type { Issue } from "../errors/base.ts";
import type { ResponseOutput } from "./types.ts";

/** Where chunks go once their turn has come. */
export interface ChunkSink {
  deliver(event: ResponseOutput): void;
  warn(issue: Issue): void;
}

/** How many chunks are held back for a missing one (policy 19). */
const mostHeld = 32;
/** How many gaps are remembered, to tell a late chunk from one that was sent twice. */
const mostGaps = 32;

/**
 * Puts the chunks of a text into the order of their `sequence_no` (§2.3, policy 19).
 *
 * Where the numbers start is not documented, nor that they are contiguous. While they mostly are, a chunk that comes
 * early is held back for the missing one; where they are not, nothing is.
 */
export class ChunkOrder {
  readonly #sink: ChunkSink;
  // Most streams are in order and never make either of these two.
  #held: Map<number, ResponseOutput> | undefined;
  /** Numbers that were passed over, from first to last, the newest at the end. */
  #gaps: { readonly from: number; readonly to: number }[] | undefined;
  /** Up to here gaps were forgotten: whether a number came is not known any more. */
  #forgotten = Number.NEGATIVE_INFINITY;
  #first = 0;
  #last: number | undefined;
  #steps = 0;
  #jumps = 0;

  constructor(sink: ChunkSink) {
    this.#sink = sink;
  }

  /** Whether chunks are held back. */
  get holding(): boolean {
    return this.#held !== undefined && this.#held.size > 0;
  }

  push(event: ResponseOutput): void {
    const number = event.sequence_no;
    // Without a number there is no better order than that of arrival; the drift is reported by the schema.
    if (!Number.isInteger(number)) this.#sink.deliver(event);
    else if (this.#last === undefined || number === this.#last + 1) this.#advance(event);
    else if (number <= this.#last || this.#held?.has(number)) this.#pushPast(event);
    else this.#hold(event);
  }

  /** Stops waiting for what is missing and gives what is held back, in order. */
  flush(): void {
    if (this.#held === undefined) return;
    const waiting = [...this.#held.values()].sort((a, b) => a.sequence_no - b.sequence_no);
    this.#held.clear();
    for (const event of waiting) this.#advance(event);
  }

  #hold(event: ResponseOutput): void {
    this.#held ??= new Map();
    this.#held.set(event.sequence_no, event);
    if (this.#jumps > this.#steps || this.#held.size > mostHeld) this.flush();
  }

  #advance(event: ResponseOutput): void {
    const number = event.sequence_no;
    if (this.#last === undefined) this.#first = number;
    else if (number === this.#last + 1) this.#steps++;
    else this.#passOver(this.#last + 1, number - 1);
    this.#last = number;
    this.#sink.deliver(event);
    const next = this.#held?.get(number + 1);
    if (next === undefined) return;
    this.#held?.delete(number + 1);
    this.#advance(next);
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
