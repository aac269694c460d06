import type { Deadline, Phase } from "../errors/request.ts";

/** Why a call had to stop before its answer was there. */
export type Ending =
  | { readonly by: "caller"; readonly reason: unknown }
  | { readonly by: "deadline"; readonly deadline: Deadline; readonly timeoutMs: number };

/**
 * The signals and timers of one call. Everything is let go of by `close`: no listener or timer outlives its call.
 *
 * The signals are held here, by the call itself: the link from a `Request`'s signal to its body is weak and is lost to
 * garbage collection (nodejs/undici#3644).
 */
export class Lifetime {
  phase: Phase = "headers";
  readonly #whole = new AbortController();
  readonly #caller: AbortSignal | undefined;
  readonly #deadlineAt: number;
  #attempt = new AbortController();
  #ending: Ending | undefined;
  #totalTimer: ReturnType<typeof setTimeout> | undefined;
  #attemptTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(caller: AbortSignal | undefined, totalTimeout: number | false) {
    this.#caller = caller;
    this.#deadlineAt = totalTimeout === false ? Number.POSITIVE_INFINITY : performance.now() + totalTimeout;
    if (caller?.aborted) this.#onAbort();
    else caller?.addEventListener("abort", this.#onAbort);
    if (totalTimeout !== false) {
      this.#totalTimer = setTimeout(
        () => this.#end({ by: "deadline", deadline: "total", timeoutMs: totalTimeout }),
        totalTimeout,
      );
    }
  }

  /** Aborted when the caller aborts or the total deadline passes. */
  get signal(): AbortSignal {
    return this.#whole.signal;
  }

  /** Why the call, or its present attempt, had to stop. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#deadlineAt - performance.now();
  }

  /** Starts an attempt; its signal is aborted with the call's, or when the attempt's own deadline passes. */
  beginAttempt(timeout: number | false): AbortSignal {
    this.phase = "headers";
    if (this.#whole.signal.aborted) return this.#whole.signal;
    this.#ending = undefined;
    this.#attempt = new AbortController();
    if (timeout !== false) {
      this.#attemptTimer = setTimeout(() => {
        this.#ending ??= { by: "deadline", deadline: "attempt", timeoutMs: timeout };
        this.#attempt.abort();
      }, timeout);
    }
    return this.#attempt.signal;
  }

  /** Ends the attempt's deadline. */
  endAttempt(): void {
    clearTimeout(this.#attemptTimer);
  }

  /** Ends the attempt and its connection, whatever is still to come on it. */
  abandonAttempt(): void {
    this.endAttempt();
    this.#attempt.abort();
  }

  /** Waits for `work`, but not beyond the end of the attempt. */
  race<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Stopped());
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop);
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
    });
  }

  /** Lets go of every timer, and of the caller's signal. */
  close(): void {
    this.endDeadlines();
    this.#detach();
  }

  /** Lets go of every timer; the caller's signal goes on governing `body` for as long as somebody holds it. */
  closeButFor(body: ReadableStream | null): void {
    this.endDeadlines();
    if (body === null || typeof FinalizationRegistry === "undefined") return;
    bodies ??= new FinalizationRegistry((detach) => detach());
    bodies.register(body, this.#detach);
  }

  /** Ends every deadline; the caller's signal stays in force. */
  endDeadlines(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#attemptTimer);
  }

  readonly #onAbort = (): void => this.#end({ by: "caller", reason: this.#caller?.reason });
  readonly #detach = (): void => this.#caller?.removeEventListener("abort", this.#onAbort);

  #end(ending: Ending): void {
    this.#ending = ending;
    this.#whole.abort(ending.by === "caller" ? ending.reason : undefined);
    this.#attempt.abort();
  }
}

let bodies: FinalizationRegistry<() => void> | undefined;

/** What a wait rejects with when its attempt has ended; never seen by a caller. */
export class Stopped extends Error {}
