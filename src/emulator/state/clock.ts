import { ConfigurationError } from "../../errors/request.ts";
import { ignoreRejection } from "../../shared/ignore-rejection.ts";

/** The emulator's time. It decides when a session ends and when a delivery is tried again. */
export interface EmulatorClock {
  /** Milliseconds since 1970. */
  now(): number;
  /**
   * Moves time on and does on the way, one after the other, whatever falls due.
   *
   * @param ms - Milliseconds, 0 or more.
   * @returns When all of it is done.
   * @throws {ConfigurationError} for what is not a finite number of at least 0: time does not go back.
   */
  advance(ms: number): Promise<void>;
  /** Moves time to the last thing that is due, so that no delivery is waiting any more. */
  runToEnd(): Promise<void>;
}

interface Job {
  readonly due: number;
  readonly run: () => Promise<void>;
  /** What it is done for. */
  readonly owner: object;
}

/** Runs beside real time, or stands still where a start is given, and can be moved on by hand. */
export class Clock implements EmulatorClock {
  readonly #start: number | undefined;
  #moved = 0;
  #jobs: Job[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(start: number | undefined) {
    this.#start = start;
  }

  now(): number {
    return (this.#start ?? Date.now()) + this.#moved;
  }

  /** Does `run` for `owner` when the clock shows `due`. */
  at(due: number, run: () => Promise<void>, owner: object = run): void {
    this.#jobs = [...this.#jobs, { due, run, owner }].sort((one, other) => one.due - other.due);
    this.#arm();
  }

  async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new ConfigurationError("clock.advance: the argument must be a number of milliseconds of at least 0.");
    }
    const target = this.now() + ms;
    try {
      for (let job = this.#take(target); job !== undefined; job = this.#take(target)) {
        this.#moveTo(job.due);
        await job.run();
      }
      this.#moveTo(target);
    } finally {
      // What is due after a job that failed comes all the same.
      this.#arm();
    }
  }

  async runToEnd(): Promise<void> {
    for (let last = this.#jobs.at(-1); last !== undefined; last = this.#jobs.at(-1)) {
      await this.advance(Math.max(0, last.due - this.now()));
    }
  }

  /** Forgets what is due for `owner`. */
  forget(owner: object): void {
    this.#jobs = this.#jobs.filter((job) => job.owner !== owner);
    this.#arm();
  }

  /** Forgets what is due; the time stays. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#jobs = [];
  }

  #take(until: number): Job | undefined {
    clearTimeout(this.#timer);
    const first = this.#jobs[0];
    return first !== undefined && first.due <= until ? this.#jobs.shift() : undefined;
  }

  #moveTo(time: number): void {
    this.#moved += Math.max(0, time - this.now());
  }

  /** Beside real time, what is due comes by itself. The timer keeps no process alive. */
  #arm(): void {
    clearTimeout(this.#timer);
    const first = this.#jobs[0];
    if (this.#start !== undefined || first === undefined) return;
    this.#timer = setTimeout(() => ignoreRejection(this.advance(0)), Math.max(0, first.due - this.now()));
    if (typeof this.#timer === "object") this.#timer.unref();
  }
}
