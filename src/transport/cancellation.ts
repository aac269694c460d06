import type { Deadline, Phase } from "../errors/request.ts";

/** Why a call had to stop before its answer was there. */
export type Ending =
  | { readonly by: "caller"; readonly reason: unknown }
  | { readonly by: "deadline"; readonly deadline: Deadline; readonly timeoutMs: number };

/**
 * The deadlines of one call, its attempts, and the caller's signal. `close` lets go of everything: no listener or timer
 * outlives its call.
 *
 * What ends a call is held here, strongly, and reaches every wait by itself: the link from a `Request`'s signal to its
 * body is weak and is lost to garbage collection (nodejs/undici#3644).
 */
export class Lifetime {
  phase: Phase = "headers";
  readonly #caller: AbortSignal | undefined;
  readonly #deadlineAt: number;
  readonly #waits = new Set<() => void>();
  #attempt = new AbortController();
  #call: AbortController | undefined;
  #ending: Ending | undefined;
  #totalTimer: ReturnType<typeof setTimeout> | undefined;
  #attemptTimer: ReturnType<typeof setTimeout> | undefined;
  #attemptEndsAt = Number.POSITIVE_INFINITY;
  #attemptTimeout: number | false = false;

  constructor(
    caller: AbortSignal | undefined,
    totalTimeout: number | false,
    deadline: Exclude<Deadline, "attempt"> = "total",
  ) {
    this.#caller = caller;
    this.#deadlineAt = totalTimeout === false ? Number.POSITIVE_INFINITY : performance.now() + totalTimeout;
    if (caller?.aborted) this.#onAbort();
    else caller?.addEventListener("abort", this.#onAbort);
    if (totalTimeout !== false) {
      this.#totalTimer = setTimeout(
        () => this.#end({ by: "deadline", deadline, timeoutMs: totalTimeout }),
        totalTimeout,
      );
    }
  }

  /** Why the call, or its present attempt, had to stop. */
  get ending(): Ending | undefined {
    return this.#ending;
  }

  /** Milliseconds left for the call. */
  get remaining(): number {
    return this.#deadlineAt - performance.now();
  }

  /** Aborted when the present attempt, or the whole call, has to stop. It goes to `fetch` itself. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** Aborted when the whole call has to stop. It is made for the first who asks, which only a retry does. */
  get callSignal(): AbortSignal {
    this.#call ??= new AbortController();
    if (this.#isOver()) this.#call.abort(abandoned);
    return this.#call.signal;
  }

  /** Starts an attempt with a deadline of its own. */
  beginAttempt(timeout: number | false): void {
    this.phase = "headers";
    if (this.#isOver()) return;
    if (this.#attempt.signal.aborted) this.#attempt = new AbortController();
    this.#attemptTimeout = timeout;
    if (timeout !== false) this.#startAttemptTimer(timeout);
  }

  /** Ends the attempt's deadline. */
  endAttempt(): void {
    clearTimeout(this.#attemptTimer);
  }

  /** Ends the attempt and its connection, whatever is still to come on it. */
  abandonAttempt(): void {
    this.endAttempt();
    this.#attempt.abort(abandoned);
    // Its deadline is not that of the pause and the attempt which may follow.
    if (!this.#isOver()) this.#ending = undefined;
  }

  /** Waits for `work`, but not beyond the end of the attempt. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const forget = this.onEnd(() => reject(new Stopped()));
      work.then(
        (value) => {
          forget();
          resolve(value);
        },
        (error) => {
          forget();
          reject(error);
        },
      );
    });
  }

  /** Waits for what the caller decides. Until then the attempt's deadline stands still: it is the service's time. */
  async waitForCaller<T>(decision: Promise<T>): Promise<T> {
    const left = this.#attemptEndsAt - performance.now();
    this.endAttempt();
    const decided = await this.wait(decision);
    this.#startAttemptTimer(left);
    return decided;
  }

  /** Ends the call on the caller's behalf. */
  readonly abort = (reason: unknown): void => this.#end({ by: "caller", reason });

  /** Calls back once the attempt has to stop; at once if it has. Returns what forgets the call-back. */
  onEnd(stop: () => void): () => void {
    if (this.#ending !== undefined) stop();
    else this.#waits.add(stop);
    return () => this.#waits.delete(stop);
  }

  /** Lets go of every timer, and of the caller's signal. */
  close(): void {
    this.endDeadlines();
    this.#detach();
  }

  /** Lets go of every timer; the caller's signal goes on governing `body` for as long as somebody holds it. */
  closeButFor(body: ReadableStream | null): void {
    this.endDeadlines();
    if (body === null) this.#detach();
    if (body === null || typeof FinalizationRegistry === "undefined") return;
    bodies ??= new FinalizationRegistry((detach) => detach());
    bodies.register(body, this.#detach);
  }

  /** Ends every deadline; the caller's signal stays in force. */
  endDeadlines(): void {
    clearTimeout(this.#totalTimer);
    clearTimeout(this.#attemptTimer);
  }

  readonly #onAbort = (): void => this.abort(this.#caller?.reason);
  readonly #detach = (): void => {
    try {
      this.#caller?.removeEventListener("abort", this.#onAbort);
    } catch {
      // A signal of a polyfill that cannot let go must not replace a response that came.
    }
  };

  /** True once nothing more may be sent for this call. */
  #isOver(): boolean {
    return this.#ending?.by === "caller" || (this.#ending?.by === "deadline" && this.#ending.deadline !== "attempt");
  }

  #startAttemptTimer(left: number): void {
    const timeoutMs = this.#attemptTimeout;
    if (timeoutMs === false) return;
    this.#attemptEndsAt = performance.now() + left;
    this.#attemptTimer = setTimeout(() => this.#end({ by: "deadline", deadline: "attempt", timeoutMs }), left);
  }

  #end(ending: Ending): void {
    if (this.#isOver()) return;
    this.#ending = ending;
    this.#attempt.abort(ending.by === "caller" ? (ending.reason ?? abandoned) : undefined);
    if (this.#isOver()) this.#call?.abort(abandoned);
    for (const stop of this.#waits) stop();
    this.#waits.clear();
  }
}

/** Without a reason of ours each abort would cost a DOMException with its stack. */
const abandoned = "abandoned";

let bodies: FinalizationRegistry<() => void> | undefined;

/** What a wait rejects with when its attempt has ended; never seen by a caller. */
class Stopped extends Error {}
