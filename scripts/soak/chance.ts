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

/** mulberry32. */
export function createChance(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
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
