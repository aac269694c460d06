/**
 * The way a figure is measured: contestants take turns, slice by slice, each with a slice of the floor beside it, and a
 * slice that another process disturbed is measured again. The result is the median of the slices, and of their ratios
 * to the floor beside them. The floor takes its turn too: how far its own ratio is from 1 is the noise of the machine.
 */

import { largestShares, Profile } from "./profile.ts";
import { median, quantile } from "./statistics.ts";
import { collectYoungGarbage, startUsage } from "./usage.ts";

/** One contestant's turn in one round. */
export interface Slice {
  /** The cost of one operation, in the unit of the measure. */
  readonly value: number;
  /** Milliseconds of wall time in which the process used no CPU: it waited for the server, or for another process. */
  readonly idle: number;
  /** Number of times that the kernel gave the core to another process. */
  readonly preempted: number;
}

export interface Contestant {
  readonly name: string;
  /** Prepares what the operations of a slice use up, before the clock starts. */
  readonly setup?: (operations: number) => void;
  /**
   * Performs one operation. Every contestant of a comparison returns the same value, which proves that it did the work.
   */
  readonly run: () => unknown;
  /** Overrides the comparison's number, for contestants of different sizes. */
  readonly operations?: number;
  /** Overrides the comparison's value, for contestants of different sizes. */
  readonly expect?: unknown;
}

export interface Comparison {
  readonly measure: string;
  readonly unit: string;
  /** Name of the contestant to which the others are compared. Without one there are no ratios. */
  readonly floor?: string;
  readonly contestants: readonly Contestant[];
  /** Operations of one slice. */
  readonly operations: number;
  /** Number of operations in flight. @default 1 */
  readonly atOnce?: number;
  /** Units of work in one operation, such as the events of a stream. @default 1 */
  readonly perOperation?: number;
  readonly expect: unknown;
}

/** A result: one contestant in one measure. */
export interface Figure {
  readonly measure: string;
  readonly contestant: string;
  readonly value: number;
  readonly unit: string;
  /** Median of the ratios to the floor beside, each of two rounds. */
  readonly ratio?: number;
  /** The value divided by that of the floor's own row. */
  readonly quotient?: number;
  /** Half of the distance between the quartiles of these ratios (of the values, if there are none), as a share. */
  readonly spread: number;
  /** Slices that were measured again. */
  readonly redone: number;
}

/**
 * Compares contestants by the CPU time of their process, all threads included, in microseconds for one unit of work.
 */
export async function compare(comparison: Comparison, rotation?: Rotation): Promise<Figure[]> {
  if (isProfiling) return await profiled(comparison);
  const take = (contestant: Contestant) => cpuSlice(contestant, comparison);
  return figuresOf(comparison, await rotate(comparison.contestants, take, { ...rotation, floor: comparison.floor }));
}

async function cpuSlice(
  contestant: Contestant,
  comparison: Comparison,
  during = (work: () => Promise<Slice>) => work(),
): Promise<Slice> {
  const { atOnce = 1, perOperation = 1 } = comparison;
  const { name, run, operations = comparison.operations, expect = comparison.expect } = contestant;
  contestant.setup?.(operations);
  collectYoungGarbage();
  return await during(async () => {
    const usage = startUsage();
    await repeat(operations, atOnce, async () => {
      const result = await run();
      if (result !== expect) throw new Error(`${name} returned ${String(result)} instead of ${String(expect)}`);
    });
    const { cpu, idle, preempted } = usage();
    return { value: (cpu * 1_000) / operations / perOperation, idle, preempted };
  });
}

/** Whether this process shows where the CPU goes, instead of comparing all contestants. */
export const isProfiling = process.argv.includes("--profile");
/** The contestants that are profiled, beside the floor. */
const profiledNames: readonly string[] = ["serviceapi", "serviceapi/node"];
/** The first third is not counted. */
const profiledSlices = 90;
/** Places that take a smaller part of the floor are one row. */
const leastPart = 0.01;

async function profiled(comparison: Comparison): Promise<Figure[]> {
  const { measure, floor, contestants } = comparison;
  const figures: Figure[] = [];
  let floorCost = Number.NaN;
  for (const contestant of contestants) {
    if (contestant.name !== floor && !profiledNames.includes(contestant.name)) continue;
    const profile = new Profile();
    const values: number[] = [];
    for (let slice = 0; slice < profiledSlices; slice += 1) {
      if (slice < profiledSlices / 3) await cpuSlice(contestant, comparison);
      else values.push((await cpuSlice(contestant, comparison, (work) => profile.during(work))).value);
    }
    const cost = median(values);
    if (contestant.name === floor) floorCost = cost;
    const row = (name: string, value: number): Figure => {
      return { measure, contestant: name, value, unit: "µs", ratio: value / floorCost, spread: 0, redone: 0 };
    };
    const places = largestShares(profile, (leastPart * floorCost) / cost);
    // Contestants take no turns here, so that these ratios are held to no budget.
    figures.push(
      row(`${contestant.name}, profiled`, cost),
      ...places.map(([place, part]) => row(`· ${place}`, part * cost)),
    );
  }
  return figures;
}

/** Runs an operation that many times, a number of them at once. */
export async function repeat(times: number, atOnce: number, run: () => Promise<unknown>): Promise<void> {
  let left = times;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await run();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

export interface Rotation {
  /** Name of the contestant that is measured beside each of the others. */
  readonly floor?: string | undefined;
  /** Rounds whose slices do not count. @default 3 */
  readonly warmUp?: number;
  /** Two of them give one ratio. @default 44 */
  readonly rounds?: number;
  /** Seconds after which a busy machine gets no further round, once there are six. @default 24 */
  readonly seconds?: number;
}

/** The slices of one contestant, one for each round. */
export interface Series {
  readonly name: string;
  readonly slices: readonly Slice[];
  /** The slices of the floor beside them. */
  readonly floors: readonly Slice[];
  readonly redone: number;
}

const fewestRounds = 6;
const maxRedone = 2;

/**
 * Takes a slice of each contestant in each round, with one of the floor before it, or after it in every other round.
 * Each round starts with another contestant, because the first pays for what the round before left behind.
 */
export async function rotate<Named extends { readonly name: string }>(
  contestants: readonly Named[],
  take: (contestant: Named) => Promise<Slice>,
  { warmUp = 3, rounds = 44, seconds = 24, floor }: Rotation = {},
): Promise<Series[]> {
  const endsAt = performance.now() + seconds * 1_000;
  const floorContestant = contestants.find(({ name }) => name === floor);
  const all = contestants.map((contestant) => ({ contestant, own: new Turns(), beside: new Turns() }));
  for (let round = 0; round < warmUp + rounds; round += 1) {
    if (round >= warmUp + fewestRounds && performance.now() > endsAt) break;
    const counts = round >= warmUp;
    const first = round % all.length;
    for (const { contestant, own, beside } of [...all.slice(first), ...all.slice(0, first)]) {
      const ownTurn = () => own.add(() => take(contestant), counts);
      const floorTurn = async () => floorContestant && beside.add(() => take(floorContestant), counts);
      for (const turn of round % 2 === 0 ? [floorTurn, ownTurn] : [ownTurn, floorTurn]) await turn();
    }
  }
  return all.map(({ contestant: { name }, own, beside }) => {
    return { name, slices: own.slices, floors: beside.slices, redone: own.redone + beside.redone };
  });
}

/** The slices of one contestant in one place of the rotation. */
class Turns {
  readonly slices: Slice[] = [];
  redone = 0;

  /** Takes a slice. A disturbed one that counts is taken again, at most twice. */
  async add(take: () => Promise<Slice>, counts: boolean): Promise<void> {
    const taken = [await take()];
    if (!counts) return;
    const isCalm = (slice: Slice) => !isDisturbed(slice, this.slices);
    while (taken.length <= maxRedone && !taken.some(isCalm)) {
      this.redone += 1;
      taken.push(await take());
    }
    const kept = taken.find(isCalm) ?? leastDisturbed(taken);
    if (kept !== undefined) this.slices.push(kept);
  }
}

/** Whether a slice waited, or lost its core, much more than this contestant's earlier slices usually did. */
export function isDisturbed(slice: Slice, earlier: readonly Slice[]): boolean {
  if (earlier.length < 3) return false;
  const usualIdle = median(earlier.map(({ idle }) => idle));
  const usuallyPreempted = median(earlier.map(({ preempted }) => preempted));
  return slice.idle > 1.5 * usualIdle + 10 || slice.preempted > 2 * usuallyPreempted + 20;
}

/** The slice that lost its core least often; of several, the one that waited least. */
function leastDisturbed(slices: readonly Slice[]): Slice | undefined {
  return slices.toSorted((a, b) => a.preempted - b.preempted || a.idle - b.idle)[0];
}

/** Turns the slices of a comparison into its figures. */
export function figuresOf(
  { measure, unit, floor }: Pick<Comparison, "measure" | "unit" | "floor">,
  all: readonly Series[],
): Figure[] {
  const medianOf = ({ slices }: Series) => median(slices.map(({ value }) => value));
  const floorValue = all.filter(({ name }) => name === floor).map(medianOf)[0] ?? Number.NaN;
  return all.map((series) => {
    const { name, slices, floors, redone } = series;
    const value = medianOf(series);
    const ratios = ratiosOf(slices, floors);
    const common = { measure, contestant: name, value, unit, redone };
    return ratios.length === 0
      ? { ...common, spread: spread(slices.map((slice) => slice.value)) }
      : { ...common, ratio: median(ratios), quotient: value / floorValue, spread: spread(ratios) };
  });
}

/**
 * A ratio for two rounds: one with the floor before the slice and one with it after, which is the cheaper place. No
 * round counts twice, so a last round without a partner does not count.
 */
function ratiosOf(slices: readonly Slice[], floors: readonly Slice[]): number[] {
  const sums = (list: readonly Slice[]) =>
    Array.from({ length: Math.floor(list.length / 2) }, (_, pair) =>
      list.slice(2 * pair, 2 * pair + 2).reduce((sum, { value }) => sum + value, 0),
    );
  const ofFloors = sums(floors);
  return ofFloors.length === 0 ? [] : sums(slices).map((sum, pair) => sum / (ofFloors[pair] ?? Number.NaN));
}

/** A figure that is not sampled: a size, or a difference of others. */
export function plainFigure(measure: string, contestant: string, value: number, unit: string): Figure {
  return { measure, contestant, value, unit, spread: 0, redone: 0 };
}

function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values);
}
