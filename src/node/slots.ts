import type { Route } from "./connect.ts";

/**
 * A limit for the requests of one route at a time, and so for its connections. Node's agent has one (`maxSockets`), but
 * does not count connections that are still being opened.
 */
export class Slots {
  readonly #count: number;
  readonly #onIdle: () => void;
  #free: number;
  readonly #waiting = new Map<() => void, (error: Error) => void>();

  /** @param onIdle - Called when all slots are free again. */
  constructor(count: number, onIdle: () => void) {
    this.#count = count;
    this.#onIdle = onIdle;
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
      this.#waiting.set(proceed, (error) => {
        signal?.removeEventListener("abort", abort);
        reject(error);
      });
      signal?.addEventListener("abort", abort);
    });
  }

  /** Passes a slot on to the request that has waited longest. */
  readonly release = (): void => {
    const [next] = this.#waiting.keys();
    if (next === undefined) {
      this.#free++;
      if (this.#free === this.#count) this.#onIdle();
      return;
    }
    this.#waiting.delete(next);
    next();
  };

  /** Rejects the requests that wait. */
  close(error: Error): void {
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const reject of waiting) reject(error);
  }
}

/** The slots of each route that has requests: one that has none is forgotten, however many origins there are. */
export class RouteSlots {
  readonly #count: number;
  readonly #byRoute = new Map<Route, Slots>();

  constructor(count: number) {
    this.#count = count;
  }

  of(route: Route): Slots {
    const slots = this.#byRoute.get(route) ?? new Slots(this.#count, () => this.#byRoute.delete(route));
    this.#byRoute.set(route, slots);
    return slots;
  }

  close(error: Error): void {
    for (const slots of this.#byRoute.values()) slots.close(error);
  }
}
