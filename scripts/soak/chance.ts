import { createHash } from "node:crypto";

/** Chance with a seed: the same seed draws the same numbers. */
export interface Chance {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  between(least: number, most: number): number;
  pick<T>(values: readonly T[]): T;
  shuffle<T>(values: readonly T[]): T[];
  /** Returns another with a separate seed, so that neither depends on how often the other draws. */
  branch(): Chance;
}

export function createChance(seed: number): Chance {
  let drawn = 0;
  const next = () => {
    drawn += 1;
    return createHash("sha256").update(`${seed} ${drawn}`).digest().readUInt32BE() / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    pick(values) {
      const picked = values[Math.floor(next() * values.length)];
      if (picked === undefined) throw new Error("There is nothing to pick from.");
      return picked;
    },
    shuffle: (values) =>
      values
        .map((value) => ({ value, order: next() }))
        .sort((one, other) => one.order - other.order)
        .map(({ value }) => value),
    branch: () => createChance(Math.floor(next() * 2 ** 31)),
  };
}
