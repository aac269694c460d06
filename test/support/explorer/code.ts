/** Runs the real code of a process, once for each thing that may come to it at each point that it can reach. */

/** A run of the code from its beginning. */
export interface Run<Input, Effect> {
  /** Hands something to the code, lets all run that can, and returns what the code did. */
  take(input: Input): Promise<readonly Effect[]>;
  /** Two runs with the same state go on in the same way. */
  state(): string;
  /** Restores the timers and the clock of the runtime. */
  end(): void;
}

/** A point that the code has reached: all that came to it, and where each thing leads that may come next. */
export interface Point<Input, Effect> {
  readonly id: number;
  readonly state: string;
  readonly history: readonly Input[];
  readonly next: Map<string, Reaction<Input, Effect>>;
}

/** The deeds of the code, and the point that it has reached with them. */
export interface Reaction<Input, Effect> {
  readonly effects: readonly Effect[];
  readonly point: Point<Input, Effect>;
}

export class Code<Input, Effect> {
  readonly start: Point<Input, Effect> = { id: 0, state: "", history: [], next: new Map() };
  readonly #points = new Map<string, Point<Input, Effect>>();
  readonly #begin: () => Run<Input, Effect>;

  constructor(begin: () => Run<Input, Effect>) {
    this.#begin = begin;
  }

  /** Returns what the code does if something comes to it at a point. It runs only the first time. */
  async react(point: Point<Input, Effect>, input: Input): Promise<Reaction<Input, Effect>> {
    const key = JSON.stringify(input);
    const known = point.next.get(key);
    if (known !== undefined) return known;
    const reaction = await this.#run(point, input);
    point.next.set(key, reaction);
    return reaction;
  }

  /** Real code cannot be copied in the middle: each run is from the beginning. */
  async #run(from: Point<Input, Effect>, input: Input): Promise<Reaction<Input, Effect>> {
    const run = this.#begin();
    const { stackTraceLimit } = Error;
    // Nobody reads the stacks, which take longer than the rest.
    Error.stackTraceLimit = 0;
    try {
      for (const earlier of from.history) await run.take(earlier);
      if (from.history.length > 0 && run.state() !== from.state)
        throw new Error("The code did something else although the same came to it.");
      const history = [...from.history, input];
      const effects = await run.take(input);
      const state = run.state();
      const point = this.#points.get(state) ?? { id: this.#points.size + 1, state, history, next: new Map() };
      this.#points.set(state, point);
      return { effects, point };
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      run.end();
    }
  }
}
