/** Explores every order of what may happen in a world around real code, one step at a time. */
import { expect } from "vitest";

/** `npm run explore` goes further. */
export const isDeep = process.env.SERVICEAPI_TEST_EXPLORE === "deep";
export const timeout = isDeep ? 3_600_000 : 300_000;

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
  readonly take: () => void | Promise<void>;
}

/** A world in which all that happens is a step that is chosen. */
export interface World {
  readonly faults: number;
  readonly ticks: number;
  /** All that may happen now. */
  steps(): readonly Step[];
  /** Takes a step, lets all code run that can, and checks the result. @throws Violation */
  take(step: Step): Promise<void>;
  /** Returns another world in the same state, which goes its own way. */
  copy(): World;
  /** Two worlds with the same state go on in the same way. */
  state(): string;
  /** The ending, in a word, once nothing more may happen. */
  ending(): string;
  /** Takes the steps of a world in which nothing fails any more, and checks how it ends. @throws Violation */
  finish(take: (step: Step) => Promise<void>): Promise<void>;
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
class Counterexample extends Error {
  constructor(what: string, steps: readonly string[]) {
    super(`${what}, after:\n${steps.map((step, i) => `${String(i + 1).padStart(3)}. ${step}`).join("\n")}`);
  }
}

/** A world, and the steps that led to it, the last one first. */
interface Reached {
  readonly world: World;
  readonly last?: { readonly step: string; readonly before: Reached };
}

/** Explores every order of all that may happen within the bounds. @throws Counterexample */
export async function explore(start: World, { faults, ticks }: Bounds): Promise<Explored> {
  const seen = new Set<string>();
  const endings = new Set<string>();
  let transitions = 0;
  const allowed = (world: World) =>
    world.steps().filter((step) => (!step.isFault || world.faults < faults) && (!step.isTick || world.ticks < ticks));
  const open: (() => Promise<Reached>)[] = [async () => ({ world: start })];
  for (let reach = open.pop(); reach !== undefined; reach = open.pop()) {
    const reached = await reach();
    const { world } = reached;
    const state = world.state();
    if (seen.has(state)) continue;
    seen.add(state);
    const steps = allowed(world);
    transitions += steps.length;
    for (let choice = steps.length - 1; choice >= 0; choice--) {
      open.push(() => {
        const copy = world.copy();
        return take(copy, allowed(copy)[choice], reached);
      });
    }
    if (steps.length === 0) {
      endings.add(world.ending());
      await finish(reached);
    }
  }
  return { states: seen.size, transitions, endings };
}

/** Expects that something happens within the bounds that must not. */
export async function expectViolation(what: string, start: World, bounds: Bounds): Promise<void> {
  const found: unknown = await explore(start, bounds).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(Counterexample);
  expect(found).toHaveProperty("message", expect.stringContaining(what));
}

async function finish(reached: Reached): Promise<void> {
  let last = reached;
  try {
    await reached.world.finish(async (step) => {
      last = await take(reached.world, step, last);
    });
  } catch (error) {
    refuse(error, last);
  }
}

async function take(world: World, step: Step | undefined, before: Reached): Promise<Reached> {
  if (step === undefined) throw new Error("A copy of a world does not go on as the world does.");
  const reached = { world, last: { step: step.name, before } };
  try {
    await world.take(step);
  } catch (error) {
    refuse(error, reached);
  }
  return reached;
}

/** Says after which steps something happened that must not. */
function refuse(error: unknown, reached: Reached): never {
  if (!(error instanceof Violation)) throw error;
  const steps: string[] = [];
  for (let { last } = reached; last !== undefined; last = last.before.last) steps.unshift(last.step);
  throw new Counterexample(error.message, steps);
}
