/** One event as it stood on the wire. */
export interface Frame {
  readonly kind: "frame";
  /** The JSON text of the event. */
  readonly data: string;
  /** The event's name, if the framing has a field for it (SSE). */
  readonly name?: string | undefined;
}

/** The sender's mark that no event follows (`[DONE]`). */
export interface EndMark {
  readonly kind: "end";
}

/** The reason why a body cannot be cut any further. */
export interface FramingError {
  readonly kind: "error";
  readonly reason: "damagedEvent" | "tooLarge" | "html" | "notJson" | "notObject";
  /** The text that is damaged, or that came in place of a stream. */
  readonly text: string;
}

/** One piece that a framing has cut. An error is the last one: nothing may be pushed after it. */
export type Piece = Frame | EndMark | FramingError;

/** Cuts text into frames. It accepts chunks of any size. */
export interface Framing {
  /** Returns the pieces that this text completes. */
  push(text: string): readonly Piece[];
  /** Returns the pieces that the end of the body completes. */
  end(): readonly Piece[];
}

/** Returns the error as a piece. */
export function framingError(reason: FramingError["reason"], text = ""): FramingError {
  return { kind: "error", reason, text };
}

/** Whether a string takes more than `limit` bytes of UTF-8. It is encoded only if its length does not decide. */
export function exceedsBytes(text: string, limit: number): boolean {
  if (text.length > limit) return true;
  // One UTF-16 unit takes at most three bytes.
  return text.length * 3 > limit && new TextEncoder().encode(text).length > limit;
}
