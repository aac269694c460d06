/** The curves of `npm run scale`, as results.json has them. */

/** A place on a curve, with the quartiles of its samples if there are several. */
export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low?: number;
  readonly high?: number;
}

export interface Curve {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Panel {
  readonly title: string;
  /** Says what the horizontal axis counts. */
  readonly axis: string;
  /** Whether each step of the horizontal axis is a multiple of the one before. */
  readonly isLogarithmic?: boolean;
  readonly curves: readonly Curve[];
}

/** The results of one part: its panels, and its curves in the panel of memory that all parts share. */
export interface PartResult {
  readonly panels: readonly Panel[];
  readonly memory: readonly Curve[];
}

export const partNames = ["calls", "streams", "deliveries", "numbers"] as const;
export type PartName = (typeof partNames)[number];

/** Day, commit and machine of each part beside its results. */
export type Results = Readonly<Partial<Record<PartName, PartResult & { readonly conditions: string }>>>;

/** The panels of all parts, and the one that they share. */
export function panelsOf(results: Results): readonly Panel[] {
  const parts = partNames.flatMap((name) => results[name] ?? []);
  const memory = { title: "Memory in use, MB", axis: "% of the work", curves: parts.flatMap((part) => part.memory) };
  return [...parts.flatMap(({ panels }) => panels), memory];
}
