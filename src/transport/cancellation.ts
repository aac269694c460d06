import type { Deadline } from "../errors/request.ts";

/** The reason why a call, or its current attempt, was cancelled. */
export type Cancellation =
  | { readonly by: "caller"; readonly reason: unknown }
  | { readonly by: "deadline"; readonly deadline: Deadline; readonly timeout: number };

/** A deadline, and the timer that runs until it. */
interface Limit {
  readonly deadline: Deadline;
  timeout: number | false;
  /** By `performance.now()`. */
  endsAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Cancellation of a call by its deadlines or the caller's signal. After `close` no listener or timer is left.
 *
 * A cancellation is passed on by strong references and reaches each wait directly: the link from a `Request`'s signal
 * to its body is weak and is lost to garbage collection (nodejs/undici#3644).
 */
export class CallScope {
  /** The reason why the call, or its current attempt, was cancelled; undefined while neither is. */
  cancellation: Cancellation | undefined;
  readonly #total: Limit;
  readonly #attempt: Limit = { deadline: "attempt", timeout: false, endsAt: 0, timer: undefined };
  /** The functions that end each wait of the current attempt. */
  readonly #stops = new Set<() => void>();
  /** True once nothing more may be sent for this call. */
  #isOver = false;
  #connection = new AbortController();
  #call: AbortController | undefined;
  /** Removes the listener from the caller's signal. */
  #detach: (() => void) | undefined;

  constructor(
    signal: AbortSignal | undefined,
    totalTimeout: number | false,
    deadline: Exclude<Deadline, "attempt"> = "total",
  ) {
    this.#total = { deadline, timeout: totalTimeout, endsAt: 0, timer: undefined };
    if (signal !== undefined) this.#follow(signal);
    this.#run(this.#total);
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#total.endsAt - performance.now();
  }

  /** The signal for `fetch`: aborted when the current attempt or the whole call is cancelled. */
  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Aborted when the whole call is cancelled. It is created on first use, because only a retry needs it. */
  get callSignal(): AbortSignal {
    this.#call ??= new AbortController();
    if (this.#isOver) this.#call.abort(abandoned);
    return this.#call.signal;
  }

  /** Brings the deadline of the call forward, if it is later than in `left` milliseconds. */
  limitTo(left: number): void {
    if (left >= this.remaining) return;
    stop(this.#total);
    this.#total.timeout = left;
    this.#run(this.#total);
  }

  /** Starts an attempt with its own deadline, which replaces that of the attempt before. */
  startAttempt(timeout: number | false): void {
    stop(this.#attempt);
    if (this.#isOver) return;
    if (this.#connection.signal.aborted) this.#connection = new AbortController();
    this.#attempt.timeout = timeout;
    this.#run(this.#attempt);
  }

  /** Ends the current attempt and its connection. The call itself may go on. */
  cancelAttempt(): void {
    stop(this.#attempt);
    this.#connection.abort(abandoned);
    this.#stops.clear();
    // The deadline of this attempt is not that of the pause and the attempt that may follow.
    if (!this.#isOver) this.cancellation = undefined;
  }

  /** Cancels the call on behalf of the caller. */
  abort(reason: unknown): void {
    this.#cancel({ by: "caller", reason });
  }

  /** Waits for `work`; rejects as soon as the attempt is cancelled. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.onCancel(() => reject(new Cancelled()));
    work.then(resolve, reject);
    return promise;
  }

  /** Waits for `work` that is not the service's: no deadline counts its time. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    const running = [this.#total, this.#attempt].filter(({ timer }) => timer !== undefined);
    const now = performance.now();
    running.forEach(stop);
    const result = await this.race(work);
    for (const limit of running) this.#run(limit, limit.endsAt - now);
    return result;
  }

  /**
   * Runs `stop` when the attempt is cancelled, immediately if it already was. Returns an unsubscribe function; the end
   * of the attempt does the same.
   */
  onCancel(stop: () => void): () => void {
    if (this.cancellation === undefined) this.#stops.add(stop);
    else stop();
    return () => this.#stops.delete(stop);
  }

  /** Ends the deadlines. The caller's signal goes on. */
  stopTimers(): void {
    stop(this.#total);
    stop(this.#attempt);
  }

  /** Ends the deadlines, and removes the listener from the caller's signal. */
  close(): void {
    this.stopTimers();
    this.#detach?.();
  }

  #follow(signal: AbortSignal): void {
    const onAbort = () => this.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort);
    this.#detach = () => {
      try {
        signal.removeEventListener("abort", onAbort);
      } catch {
        // A polyfilled signal that fails here must not replace a response that has arrived.
      }
    };
  }

  /** Lets a deadline run from now on. */
  #run(limit: Limit, left = limit.timeout === false ? Number.POSITIVE_INFINITY : limit.timeout): void {
    const { deadline, timeout } = limit;
    limit.endsAt = performance.now() + left;
    if (timeout === false) return;
    // The time may be up already, because the process was suspended: Node warns of a negative delay.
    limit.timer = setTimeout(() => this.#cancel({ by: "deadline", deadline, timeout }), Math.max(0, left));
  }

  #cancel(cancellation: Cancellation): void {
    if (this.#isOver) return;
    this.cancellation = cancellation;
    this.#isOver = cancellation.by === "caller" || cancellation.deadline !== "attempt";
    this.#connection.abort(cancellation.by === "caller" ? (cancellation.reason ?? abandoned) : undefined);
    if (this.#isOver) this.#call?.abort(abandoned);
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }
}

function stop(limit: Limit): void {
  clearTimeout(limit.timer);
  limit.timer = undefined;
}

/** Without an explicit reason each abort would create a DOMException with its stack. */
const abandoned = "abandoned";

/** The rejection of a race whose attempt was cancelled. Callers never see it. */
export class Cancelled extends Error {}
