/** Explores every order of what may happen in a world that runs the real code, one step at a time. */

/** The limits of an exploration. */
export interface Bounds {
  /** Things that fail: a request, code of the application, a process. */
  readonly faults: number;
  /** Steps of the clock. */
  readonly ticks: number;
}

/** A step that can be chosen. Each fault counts against the budget of a run. */
export interface Step {
  readonly name: string;
  readonly isFault: boolean;
  readonly isTick?: boolean;
  readonly take: () => void;
}

/** A world in which all that happens is a step that is chosen. */
export interface World {
  readonly faults: number;
  readonly ticks: number;
  /** All that may happen now. */
  steps(): readonly Step[];
  /** Takes a step, lets all code run that can, and checks the result. @throws Violation */
  take(step: Step): Promise<void>;
  /** Two worlds with the same state go on in the same way. */
  state(): string;
  /** The ending, in a word, once nothing more may happen. */
  ending(): string;
  /** Takes the steps of a world in which nothing fails any more, and checks how it ends. @throws Violation */
  finish(take: (step: Step) => Promise<void>): Promise<void>;
  /** Restores the timers and the clock of the runtime. */
  end(): void;
}

/** The states that were reached, each once, and the transitions between them. */
export interface Explored {
  readonly states: number;
  readonly transitions: number;
  readonly endings: ReadonlySet<string>;
}

/** Something that must not happen. */
export class Violation extends Error {}

/** A run that ended in something that must not happen. */
export class Counterexample extends Error {
  constructor(what: string, steps: readonly string[]) {
    super(`${what}, after:\n${steps.map((step, i) => `${String(i + 1).padStart(3)}. ${step}`).join("\n")}`);
  }
}

/** Explores every order of all that may happen within the bounds. @throws Counterexample */
export async function explore(makeWorld: () => World, { faults, ticks }: Bounds): Promise<Explored> {
  const seen = new Set<string>();
  const endings = new Set<string>();
  let transitions = 0;
  // Real code cannot be copied in the middle: each branch is a run from the beginning.
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const names: string[] = [];
    const world = makeWorld();
    const allowed = () =>
      world.steps().filter((step) => (!step.isFault || world.faults < faults) && (!step.isTick || world.ticks < ticks));
    const take = async (step: Step | undefined) => {
      if (step === undefined) throw new Error("The run is not the same when it is repeated.");
      names.push(step.name);
      await world.take(step);
    };
    try {
      for (const choice of path) await take(allowed()[choice]);
      for (;;) {
        const state = world.state();
        if (seen.has(state)) break;
        seen.add(state);
        const steps = allowed();
        transitions += steps.length;
        if (steps.length === 0) {
          endings.add(world.ending());
          await world.finish(take);
          break;
        }
        for (let choice = steps.length - 1; choice > 0; choice--) open.push([...path, choice]);
        path = [...path, 0];
        await take(steps[0]);
      }
    } catch (error) {
      throw error instanceof Violation ? new Counterexample(error.message, names) : error;
    } finally {
      world.end();
    }
  }
  return { states: seen.size, transitions, endings };
}
