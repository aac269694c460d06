/** The clock of one delivery: when its response must leave (docs/assumptions.md, W16). */
export class Deadline {
  /** Resolves when the answer must leave. */
  readonly expired: Promise<void>;
  readonly #ackDeadline: number;
  readonly #startedAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Starts the clock of a delivery that has just come. */
  constructor(ackDeadline: number) {
    this.#ackDeadline = ackDeadline;
    this.expired = new Promise((resolve) => {
      this.#timer = setTimeout(resolve, ackDeadline);
    });
  }

  /** Milliseconds since the delivery came. */
  elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds until the answer must leave. */
  remaining(): number {
    return this.#ackDeadline - this.elapsed();
  }

  /** Lets go of the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Waits. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
