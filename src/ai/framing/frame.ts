/** One event as it stood on the wire. */
export interface Frame {
  /** The JSON text of the event. */
  readonly data: string;
  /** The event's name where the framing has one of its own (SSE). */
  readonly name?: string | undefined;
  /** Whether this may be a whole answer in place of a stream: the first JSON value of a body that is nothing but JSON. */
  readonly mayBeBody: boolean;
}

/** Cuts text into frames. It is fed in pieces of any size. */
export interface Framing {
  /** @throws {@link FramingError} */
  push(text: string): void;
  /** The body is over: gives what is whole of the rest. */
  end(): void;
}

/** What a framing reports to. */
export interface FramingSink {
  onFrame(frame: Frame): void;
  /** The sender says that nothing follows (`[DONE]`). */
  onDone(): void;
}

/** The body cannot be cut any further. */
export class FramingError extends Error {
  readonly reason: "damagedEvent" | "tooLarge" | "html" | "notJson" | "notObject";
  /** What came in place of a stream. */
  readonly text: string;

  constructor(reason: FramingError["reason"], text = "") {
    super(reason);
    this.reason = reason;
    this.text = text;
  }
}
