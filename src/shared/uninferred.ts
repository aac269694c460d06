/**
 * A type that a call does not infer from this place: its literals stay what the other places say. TypeScript 5.4 has it
 * built in as `NoInfer`.
 */
export type Uninferred<T> = [T][T extends unknown ? 0 : never];
