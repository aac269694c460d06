/**
 * A limit for the requests of one route at a time, and so for its connections. Node's agent has one (`maxSockets`), but does
 * not count connections that are still being opened.
 */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot; rejects with the reason of the signal if that is aborted before. */
  take(signal: AbortSignal | null | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#waiting.delete(proceed);
        reject(signal?.reason);
      };
      const proceed = () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      };
      this.#waiting.add(proceed);
      signal?.addEventListener("abort", abort);
    });
  }

  /** Passes a slot on to the request that has waited longest. */
  readonly release = (): void => {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    this.#waiting.delete(next);
    next();
  };
}
