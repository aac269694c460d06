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
  #endsAt = Number.POSITIVE_INFINITY;
  readonly #totalTimeout: number | false;
  readonly #deadline: Exclude<Deadline, "attempt">;
  readonly #listeners = new Set<() => void>();
  #cancellation: Cancellation | undefined;
  #call: AbortController | undefined;
  #totalTimer: ReturnType<typeof setTimeout> | undefined;
  #attempt = new AbortController();
  #attemptTimer: ReturnType<typeof setTimeout> | undefined;
  #attemptTimeout: number | false = false;
  #attemptEndsAt = Number.POSITIVE_INFINITY;

  constructor(
    signal: AbortSignal | undefined,
    totalTimeout: number | false,
    deadline: Exclude<Deadline, "attempt"> = "total",
  ) {
    this.#totalTimeout = totalTimeout;
    this.#deadline = deadline;
    if (signal !== undefined) this.#follow(signal);
    this.#startTotalTimer(totalTimeout || 0);
  }

  /** The reason why the call, or its current attempt, was cancelled; undefined while neither is. */
  get cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#endsAt - performance.now();
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
    clearTimeout(this.#attemptTimer);
    if (this.#isCallCancelled()) return;
    if (this.#attempt.signal.aborted) this.#attempt = new AbortController();
    this.#attemptTimeout = timeout;
    if (timeout !== false) this.#startAttemptTimer(timeout);
  }

  /** Ends the current attempt and its connection. The call itself may go on. */
  cancelAttempt(): void {
    clearTimeout(this.#attemptTimer);
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
      work.then(
        (value) => {
          unsubscribe();
          resolve(value);
        },
        (error) => {
          unsubscribe();
          reject(error);
        },
      );
    });
  }

  /**
   * Races a decision of the caller. The attempt's deadline is paused meanwhile: it limits the service, not the caller.
   */
  async pauseFor<T>(decision: Promise<T>): Promise<T> {
    const left = this.#attemptEndsAt - performance.now();
    clearTimeout(this.#attemptTimer);
    const decided = await this.race(decision);
    this.#startAttemptTimer(left);
    return decided;
  }

  /** Waits for `work`, whose time no deadline counts. An attempt starts its own afterwards. */
  async exempt(work: Promise<unknown>): Promise<void> {
    const { remaining } = this;
    this.#clearTimers();
    await this.race(work);
    this.#startTotalTimer(remaining);
  }

  /** Runs `stop` when the attempt is cancelled, immediately if it already was. Returns an unsubscribe function. */
  onCancel(stop: () => void): () => void {
    if (this.#cancellation !== undefined) stop();
    else this.#listeners.add(stop);
    return () => this.#listeners.delete(stop);
  }

  /** Clears every timer and removes the listener from the caller's signal. */
  close(): void {
    this.#clearTimers();
    this.#detach();
  }

  /**
   * Clears every timer. The caller's signal keeps governing `body` until that has been read to its end by a reader, as
   * `text()` reads it in Node, or is garbage-collected.
   */
  keepSignalFor(body: ReadableStream | null): void {
    this.#clearTimers();
    if (body === null) {
      this.#detach();
      return;
    }
    const detach = this.#detach;
    onEnd(body, detach);
    if (typeof FinalizationRegistry === "undefined") return;
    bodies ??= new FinalizationRegistry((release) => release());
    bodies.register(body, detach);
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

  #clearTimers(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#attemptTimer);
  }

  #startTotalTimer(left: number): void {
    const [timeout, deadline] = [this.#totalTimeout, this.#deadline];
    if (timeout === false) return;
    this.#endsAt = performance.now() + left;
    this.#totalTimer = startTimer(() => this.#cancel({ by: "deadline", deadline, timeout }), left);
  }

  #startAttemptTimer(left: number): void {
    const timeout = this.#attemptTimeout;
    if (timeout === false) return;
    this.#attemptEndsAt = performance.now() + left;
    this.#attemptTimer = startTimer(() => this.#cancel({ by: "deadline", deadline: "attempt", timeout }), left);
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

function nothing(): void {}

/** Calls back when a reader has read a stream to its end, or has cancelled it. */
function onEnd(stream: ReadableStream, done: () => void): void {
  const { getReader } = stream;
  // A caller's own `fetch` may return a body of another kind.
  if (typeof getReader !== "function") return;
  const value = (...options: unknown[]) => {
    const reader: ReadableStreamDefaultReader = Reflect.apply(getReader, stream, options);
    // It rejects if the stream broke off, or the reader released it.
    reader.closed.then(done, nothing);
    return reader;
  };
  Reflect.defineProperty(stream, "getReader", { value, configurable: true });
}

/** The time may be up already, because the process was suspended: Node warns of a negative delay. */
function startTimer(run: () => void, left: number): ReturnType<typeof setTimeout> {
  return setTimeout(run, Math.max(0, left));
}

/** Without an explicit reason each abort would create a DOMException with its stack. */
const abandoned = "abandoned";

let bodies: FinalizationRegistry<() => void> | undefined;

/** The rejection of a race whose attempt was cancelled. Callers never see it. */
export class Cancelled extends Error {}
