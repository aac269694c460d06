/** When the response to a delivery must leave (docs/assumptions.md, W16). */
export class AckDeadline {
  /** Resolves when the response must leave. */
  readonly expired: Promise<void>;
  readonly #timeout: number;
  readonly #startedAt = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Starts the clock of a delivery that has just come. */
  constructor(timeout: number) {
    this.#timeout = timeout;
    this.expired = new Promise((resolve) => {
      this.#timer = setTimeout(resolve, timeout);
    });
  }

  /** Milliseconds since the delivery came. */
  elapsed(): number {
    return performance.now() - this.#startedAt;
  }

  /** Milliseconds until the response must leave. */
  remaining(): number {
    return this.#timeout - this.elapsed();
  }

  /** Clears the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** When the work on a delivery must stop: then its `signal` is aborted. */
export class WorkDeadline {
  readonly #onTimeout: () => Error;
  /** Made when a handler asks for its signal: few do, and it costs more than the rest of the bookkeeping. */
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param onTimeout - Called when the time is up; returns the reason of the abort. */
  constructor(onTimeout: () => Error) {
    this.#onTimeout = onTimeout;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  /** Starts the timer, unless it was started before. */
  start(timeout: number): void {
    this.#timer ??= setTimeout(() => {
      const reason = this.#onTimeout();
      this.#controller ??= new AbortController();
      this.#controller.abort(reason);
    }, timeout);
  }

  /** Clears the timer. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
