import { type Planned, type Step, Violation, World } from "./world.ts";

/** The limits of an exploration. */
export interface Bounds {
  /** Things that fail: a request to the store, code of the application, a process. */
  readonly faults: number;
  /** Steps of the clock. */
  readonly ticks: number;
}

/** The states that were reached, each once, and the transitions between them. */
export interface Explored {
  readonly states: number;
  readonly transitions: number;
  /** The endings: each way in which the deliveries were acknowledged. */
  readonly endings: ReadonlySet<string>;
}

/** A run that ended in something that must not happen. */
export class Counterexample extends Error {
  constructor(what: string, steps: readonly string[]) {
    super(`${what}, after:\n${steps.map((step, i) => `${String(i + 1).padStart(3)}. ${step}`).join("\n")}`);
  }
}

/** Explores every order of all that may happen within the bounds. @throws Counterexample */
export async function explore(plan: readonly Planned[], { faults, ticks }: Bounds): Promise<Explored> {
  const seen = new Set<string>();
  const endings = new Set<string>();
  let transitions = 0;
  const allowed = (world: World): readonly Step[] =>
    world
      .steps()
      .filter((step) => (!step.isFault || world.faults < faults) && (step.name !== "tick" || world.ticks < ticks));
  // Real code cannot be copied in the middle: each branch is a run from the beginning.
  const open: (readonly number[])[] = [[]];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const names: string[] = [];
    const world = new World(plan);
    try {
      for (const choice of path) names.push(await choose(world, allowed(world)[choice]));
      for (let choice = 0; ; ) {
        const state = world.state();
        if (seen.has(state)) break;
        seen.add(state);
        const steps = allowed(world);
        transitions += steps.length;
        const [first] = steps;
        if (first === undefined) {
          endings.add(world.deliveries.map(({ planned, response }) => `${planned.status}: ${response}`).join(", "));
          await finish(world, names);
          break;
        }
        for (choice = steps.length - 1; choice > 0; choice--) open.push([...path, choice]);
        path = [...path, 0];
        names.push(await choose(world, first));
      }
    } catch (error) {
      throw error instanceof Violation ? new Counterexample(error.message, names) : error;
    } finally {
      world.end();
    }
  }
  return { states: seen.size, transitions, endings };
}

async function choose(world: World, step: Step | undefined): Promise<string> {
  if (step === undefined) throw new Error("The run is not the same when it is repeated.");
  await world.take(step);
  return step.name;
}

/** From here on nothing fails: what is under way ends, and a redelivery ends the reference, once its lease is over. */
async function finish(world: World, names: string[]): Promise<void> {
  const settle = async () => {
    for (let step = world.nextGood(); step !== undefined; step = world.nextGood()) {
      names.push(step.name);
      await world.take(step);
    }
  };
  await settle();
  if (world.deliveries.some(({ response, process }) => response === undefined && !process.isDead)) {
    throw new Violation("a delivery without a response");
  }
  world.expireLease();
  for (const process of [0, 1]) {
    const step = world.deliver({ status: "SUCCESS", process });
    names.push(step.name);
    await world.take(step);
    await settle();
    if (world.deliveries.at(-1)?.response === "FAILED" || !world.isDone) throw new Violation("a reference that hangs");
  }
}
