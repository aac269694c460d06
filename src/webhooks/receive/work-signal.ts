/** The `signal` of the work on one delivery, aborted at `workDeadline`. */
export class WorkSignal {
  readonly #onDeadline: () => Error;
  /** Made when a handler asks for its signal: few do, and it costs more than the rest of the bookkeeping. */
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onDeadline - Called when the time is up; returns the reason of the abort. */
  constructor(onDeadline: () => Error) {
    this.#onDeadline = onDeadline;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Starts the timer, unless it was started before. */
  abortAfter(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      const reason = this.#onDeadline();
      this.#controller ??= new AbortController();
      this.#controller.abort(reason);
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
