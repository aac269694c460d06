import type { Deadline } from "../errors/request.ts";

/** The reason why a call, or its current attempt, was cancelled. */
export type Cancellation =
  | { readonly by: "caller"; readonly reason: unknown }
  | { readonly by: "deadline"; readonly deadline: Deadline; readonly timeout: number };

/**
 * Cancellation of a call by its deadlines or the caller's signal. After `close` no listener or timer is left.
 *
 * A cancellation is passed on by strong references and reaches each wait directly: the link from a `Request`'s signal
 * to its body is weak and is lost to garbage collection (nodejs/undici#3644).
 */
export class CallScope {
  /** Removes the listener from the caller's signal, if there is one. */
  #detach = nothing;
  readonly #listeners = new Set<() => void>();
  readonly #callLimit: TimeLimit;
  readonly #attemptLimit = new TimeLimit("attempt", (cancellation) => this.#cancel(cancellation));
  #cancellation: Cancellation | undefined;
  #call: AbortController | undefined;
  #attempt = new AbortController();

  constructor(
    signal: AbortSignal | undefined,
    totalTimeout: number | false,
    deadline: Exclude<Deadline, "attempt"> = "total",
  ) {
    this.#callLimit = new TimeLimit(deadline, (cancellation) => this.#cancel(cancellation));
    if (signal !== undefined) this.#follow(signal);
    this.#callLimit.start(totalTimeout);
  }

  /** The reason why the call, or its current attempt, was cancelled; undefined while neither is. */
  get cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#callLimit.remaining;
  }

  /** The signal for `fetch`: aborted when the current attempt or the whole call is cancelled. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Aborted when the whole call is cancelled. It is created on first use, because only a retry needs it. */
  get callSignal(): AbortSignal {
    this.#call ??= new AbortController();
    if (this.#isCallCancelled()) this.#call.abort(abandoned);
    return this.#call.signal;
  }

  /** Starts an attempt with its own deadline, which replaces that of the attempt before. */
  startAttempt(timeout: number | false): void {
    this.#attemptLimit.stop();
    if (this.#isCallCancelled()) return;
    if (this.#attempt.signal.aborted) this.#attempt = new AbortController();
    this.#attemptLimit.start(timeout);
  }

  /** Ends the current attempt and its connection. The call itself may go on. */
  cancelAttempt(): void {
    this.#attemptLimit.stop();
    this.#attempt.abort(abandoned);
    // The deadline of this attempt is not that of the pause and the attempt that may follow.
    if (!this.#isCallCancelled()) this.#cancellation = undefined;
  }

  /** Cancels the call on behalf of the caller. */
  abort(reason: unknown): void {
    this.#cancel({ by: "caller", reason });
  }

  /** Waits for `work`; rejects as soon as the attempt is cancelled. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const unsubscribe = this.onCancel(() => reject(new Cancelled()));
      const end = <A>(settle: (result: A) => void) => {
        return (result: A) => {
          unsubscribe();
          settle(result);
        };
      };
      work.then(end(resolve), end(reject));
    });
  }

  /**
   * Waits for `work` that is not the service's: the deadline of the attempt does not count its time, and with `call`
   * that of the call does not, either.
   */
  async pauseFor<T>(work: Promise<T>, deadline: "attempt" | "call"): Promise<T> {
    const paused = deadline === "call" ? [this.#callLimit, this.#attemptLimit] : [this.#attemptLimit];
    const resume = paused.map((limit) => limit.pause());
    const result = await this.race(work);
    for (const go of resume) go();
    return result;
  }

  /** Runs `stop` when the attempt is cancelled, immediately if it already was. Returns an unsubscribe function. */
  onCancel(stop: () => void): () => void {
    if (this.#cancellation !== undefined) stop();
    else this.#listeners.add(stop);
    return () => this.#listeners.delete(stop);
  }

  /** Ends the deadlines. The caller's signal goes on. */
  stopTimers(): void {
    this.#callLimit.stop();
    this.#attemptLimit.stop();
  }

  /** Ends the deadlines, and removes the listener from the caller's signal. */
  close(): void {
    this.stopTimers();
    this.#detach();
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

  /** True once nothing more may be sent for this call. */
  #isCallCancelled(): boolean {
    const cancellation = this.#cancellation;
    return cancellation !== undefined && (cancellation.by === "caller" || cancellation.deadline !== "attempt");
  }

  #cancel(cancellation: Cancellation): void {
    if (this.#isCallCancelled()) return;
    this.#cancellation = cancellation;
    this.#attempt.abort(cancellation.by === "caller" ? (cancellation.reason ?? abandoned) : undefined);
    if (this.#isCallCancelled()) this.#call?.abort(abandoned);
    for (const stop of this.#listeners) stop();
    this.#listeners.clear();
  }
}

/** A deadline whose clock can be paused. */
class TimeLimit {
  readonly #deadline: Deadline;
  readonly #expire: (cancellation: Cancellation) => void;
  #timeout: number | false = false;
  #endsAt = Number.POSITIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deadline: Deadline, expire: (cancellation: Cancellation) => void) {
    this.#deadline = deadline;
    this.#expire = expire;
  }

  /** Milliseconds left. */
  get remaining(): number {
    return this.#endsAt - performance.now();
  }

  start(timeout: number | false): void {
    this.#timeout = timeout;
    this.#run(timeout === false ? Number.POSITIVE_INFINITY : timeout);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Stops the clock, and returns the function that lets it run on. */
  pause(): () => void {
    const { remaining } = this;
    if (this.#timer === undefined) return nothing;
    this.stop();
    return () => this.#run(remaining);
  }

  #run(left: number): void {
    const [deadline, timeout] = [this.#deadline, this.#timeout];
    this.#endsAt = performance.now() + left;
    if (timeout === false) return;
    // The time may be up already, because the process was suspended: Node warns of a negative delay.
    this.#timer = setTimeout(() => this.#expire({ by: "deadline", deadline, timeout }), Math.max(0, left));
  }
}

function nothing(): void {}

/** Without an explicit reason each abort would create a DOMException with its stack. */
const abandoned = "abandoned";

/** The rejection of a race whose attempt was cancelled. Callers never see it. */
export class Cancelled extends Error {}
