import { ConfigurationError } from "../../errors/request.ts";
import { maxTimerMs } from "../../shared/options.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { unlessAborted } from "../http/wait.ts";

/** The emulator's time. It decides when a session ends and when a delivery is retried. */
export interface EmulatorClock {
  /** Returns the time in milliseconds since 1970. */
  now(): number;
  /**
   * Moves the time forward, and makes the deliveries and sends the events that fall due on the way, one after the other.
   * Whoever receives one has a few turns of the event loop to go on. Resolves when they are done.
   *
   * @param duration - Milliseconds, 0 or more.
   * @throws {ConfigurationError} if `duration` is not a finite number of at least 0, or leads beyond the year 275,760,
   *   where dates end.
   */
  advance(duration: number): Promise<void>;
  /** Moves the time forward until no delivery is waiting. */
  runToEnd(): Promise<void>;
}

/** The last time that a `Date` can have, with a day to spare for deadlines. */
const maxTime = 8.64e15 - 86_400_000;

interface Job {
  readonly due: number;
  readonly run: () => Promise<void>;
  /** Whether somebody waits for it: its timer then keeps the process alive, and `clear()` ends the wait. */
  readonly isAwaited: boolean;
  readonly owner: object;
}

/** Waits until a time of the clock, as long as its signal is not aborted. */
export type Until = (due: number, signal: AbortSignal) => Promise<void>;

/** A clock that follows real time, or stands still if it has a start. Both can be moved forward. */
export class Clock implements EmulatorClock {
  readonly #start: number | undefined;
  #moved = 0;
  #clears = 0;
  #jobs: Job[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: number | undefined) {
    this.#start = start;
  }

  now(): number {
    return (this.#start ?? Date.now()) + this.#moved;
  }

  at(due: number, run: () => Promise<void>, owner: object = run, isAwaited = false): void {
    this.#jobs = [...this.#jobs, { due, run, owner, isAwaited }].sort((one, other) => one.due - other.due);
    this.#arm();
  }

  /**
   * Returns a function that resolves when the clock reaches a time; as soon as the clock is cleared, whenever it is
   * called. It rejects with the reason of its signal when that is aborted.
   */
  waits(): Until {
    const clears = this.#clears;
    return async (due, signal) => {
      if (due <= this.now() || clears !== this.#clears) return;
      await unlessAborted<void>(signal, (resolve) => {
        const run = async () => resolve();
        this.at(due, run, run, true);
        return () => this.forget(run);
      });
    };
  }

  async advance(duration: number): Promise<void> {
    if (!Number.isFinite(duration) || duration < 0) {
      throw new ConfigurationError("clock.advance: the duration must be a number of milliseconds of at least 0.");
    }
    if (this.now() + duration > maxTime) {
      throw new ConfigurationError("clock.advance: the time would be after the last date, in the year 275,760.");
    }
    await turns();
    await this.#run(this.now() + duration, turns);
  }

  /** Runs the jobs up to `target`, with a pause after each. */
  async #run(target: number, pause?: () => Promise<void>): Promise<void> {
    try {
      for (;;) {
        clearTimeout(this.#timer);
        const job = this.#jobs[0];
        if (job === undefined || job.due > target) break;
        this.#jobs.shift();
        this.#moveTo(job.due);
        await job.run();
        await pause?.();
      }
      this.#moveTo(target);
    } finally {
      // A job that failed must not stop the next ones.
      this.#arm();
    }
  }

  async runToEnd(): Promise<void> {
    await turns();
    for (let last = this.#jobs.at(-1); last !== undefined; last = this.#jobs.at(-1)) {
      await this.advance(Math.max(0, last.due - this.now()));
    }
  }

  forget(owner: object): void {
    this.#jobs = this.#jobs.filter((job) => job.owner !== owner);
    this.#arm();
  }

  /** Forgets all jobs, and keeps the time. */
  clear(): void {
    clearTimeout(this.#timer);
    const awaited = this.#jobs.filter(({ isAwaited }) => isAwaited);
    this.#jobs = [];
    this.#clears += 1;
    for (const { run } of awaited) ignoreRejection(run());
  }

  #moveTo(time: number): void {
    this.#moved += Math.max(0, time - this.now());
  }

  /** Sets the timer for the next job, if the clock follows real time. The timer does not keep the process alive. */
  #arm(): void {
    clearTimeout(this.#timer);
    const first = this.#jobs[0];
    if (this.#start !== undefined || first === undefined) return;
    // A timer that fires before its job is due sets the next one.
    const left = Math.min(Math.max(0, first.due - this.now()), maxTimerMs);
    this.#timer = setTimeout(() => ignoreRejection(this.#run(this.now())), left);
    if (typeof this.#timer === "object" && !this.#jobs.some(({ isAwaited }) => isAwaited)) this.#timer.unref();
  }
}

/** Lets a reader take what the last job sent, and wait for the next: turns of the event loop, which no fake clock stops. */
async function turns(): Promise<void> {
  for (let left = 3; left > 0; left--) {
    await new Promise<void>((resolve) => {
      if (typeof MessageChannel === "undefined") return void setTimeout(resolve);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    });
  }
}
