import type { Deadline } from "../errors/request.ts";
import { forget } from "../shared/promises.ts";

/** The reason why a call, or its current attempt, was cancelled. */
export type Cancellation =
  | { readonly by: "caller"; readonly reason: unknown; readonly deadline?: never }
  | { readonly by: "deadline"; readonly deadline: Deadline; readonly timeout: number };

interface Limit {
  readonly deadline: Deadline;
  readonly timeout: number;
  /** By `performance.now()`. */
  readonly endsAt: number;
}

const unlimited: Limit = { deadline: "total", timeout: Number.POSITIVE_INFINITY, endsAt: Number.POSITIVE_INFINITY };

/**
 * Cancellation of a call by its deadlines or the caller's signal. After `close` no listener or timer is left.
 *
 * A cancellation is passed on by strong references and reaches each wait directly: the link from a `Request`'s signal
 * to its body is weak and is lost to garbage collection (nodejs/undici#3644).
 */
export class CallScope {
  /** The reason why the call, or its current attempt, was cancelled; undefined while neither is. */
  cancellation: Cancellation | undefined;
  #total: Limit;
  #attempt: Limit = unlimited;
  /** Runs until the nearer of the two. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The functions that end each wait of the current attempt. */
  readonly #stops = new Set<() => void>();
  #connection = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #onAbort = () => this.abort(this.#caller?.reason);

  constructor(signal: AbortSignal | undefined, timeout: number, deadline: Exclude<Deadline, "attempt"> = "total") {
    this.#total = { deadline, timeout, endsAt: performance.now() + timeout };
    this.#caller = signal;
    if (signal?.aborted) this.#onAbort();
    else signal?.addEventListener("abort", this.#onAbort);
    this.#run();
  }

  /** The signal for `fetch`: aborted when the current attempt or the whole call is cancelled. */
  get signal(): AbortSignal {
    return this.#connection.signal;
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#total.endsAt - performance.now();
  }

  /** Brings the deadline of the call forward, if it is later than in `left` milliseconds. */
  limitTo(left: number): void {
    const endsAt = performance.now() + left;
    if (endsAt >= this.#total.endsAt) return;
    this.#total = { ...this.#total, timeout: left, endsAt };
    this.#run();
  }

  /** Starts an attempt with its own deadline, which replaces that of the attempt before. */
  startAttempt(timeout: number): void {
    if (this.cancellation !== undefined) return;
    if (this.signal.aborted) this.#connection = new AbortController();
    this.#stops.clear();
    this.#attempt = { deadline: "attempt", timeout, endsAt: performance.now() + timeout };
    this.#run();
  }

  /** Ends the current attempt and its connection. The call itself may go on. */
  cancelAttempt(): void {
    this.#connection.abort(abandoned);
    // The deadline of this attempt is not that of the pause and the attempt that may follow.
    this.#attempt = unlimited;
    if (!this.#isOver) this.cancellation = undefined;
    this.#run();
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

  /** Waits for `work` that is not the service's: no deadline counts its time. If it fails, the call ends. */
  async pauseFor<T>(work: Promise<T>): Promise<T> {
    const startedAt = performance.now();
    clearTimeout(this.#timer);
    const result = await this.race(work);
    const pause = performance.now() - startedAt;
    this.#total = { ...this.#total, endsAt: this.#total.endsAt + pause };
    this.#attempt = { ...this.#attempt, endsAt: this.#attempt.endsAt + pause };
    this.#run();
    return result;
  }

  /** Runs `stop` when the attempt is cancelled, or the pause after it; immediately if it already was. */
  onCancel(stop: () => void): void {
    if (this.cancellation === undefined) this.#stops.add(stop);
    else stop();
  }

  /** Ends the deadlines. The caller's signal goes on. */
  stopTimers(): void {
    clearTimeout(this.#timer);
    this.#total = this.#attempt = unlimited;
  }

  /** Ends the deadlines, and removes the listener from the caller's signal. */
  close(): void {
    this.stopTimers();
    this.#stops.clear();
    if (this.#caller !== undefined) forget(this.#caller, this.#onAbort);
  }

  /** Whether nothing more may be sent for this call. */
  get #isOver(): boolean {
    const { cancellation } = this;
    return cancellation !== undefined && cancellation.deadline !== "attempt";
  }

  #run(): void {
    clearTimeout(this.#timer);
    if (this.cancellation !== undefined) return;
    const now = performance.now();
    // After a suspension of the process the call itself may be over.
    const isAttempt = this.#attempt.endsAt < this.#total.endsAt && now < this.#total.endsAt;
    const { deadline, timeout, endsAt } = isAttempt ? this.#attempt : this.#total;
    if (endsAt === Number.POSITIVE_INFINITY) return;
    // Node warns of a negative delay.
    const left = Math.max(0, Math.round(endsAt - now));
    this.#timer = setTimeout(() => this.#cancel({ by: "deadline", deadline, timeout }), left);
  }

  #cancel(cancellation: Cancellation): void {
    if (this.#isOver) return;
    this.cancellation = cancellation;
    clearTimeout(this.#timer);
    this.#connection.abort(cancellation.by === "caller" ? (cancellation.reason ?? abandoned) : undefined);
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }
}

/** Without an explicit reason each abort would create a DOMException with its stack. */
const abandoned = "abandoned";

/** The rejection of a race whose attempt was cancelled. Callers never see it. */
export class Cancelled extends Error {}

/**
 * Settles as a promise does, or resolves with undefined after `timeout` milliseconds. What arrives while the event loop
 * is blocked comes before that.
 */
export function before<T>(timeout: number, promise: Promise<T>): Promise<T | undefined> {
  if (timeout === Number.POSITIVE_INFINITY) return promise;
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      timer = setTimeout(resolve, 0, undefined);
    }, timeout);
    promise.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
