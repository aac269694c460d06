import { type Contestant, repeat, type Series, type Slice } from "../measure.ts";
import { quantile } from "../statistics.ts";
import { bytesInUse, collectYoungGarbage, startUsage } from "../usage.ts";
import type { Curve, Point } from "./curves.ts";

/** Runs operations, and returns as its value how many were done in a second of wall time. */
export async function perSecond(run: Contestant["run"], operations: number, atOnce: number): Promise<Slice> {
  collectYoungGarbage();
  const usage = startUsage();
  const startedAt = performance.now();
  await repeat(operations, atOnce, async () => run());
  const seconds = (performance.now() - startedAt) / 1_000;
  return { ...usage(), value: operations / seconds };
}

/** Measures series side by side at each place, and returns the curve of each name: medians, between their quartiles. */
export async function curvesOf(
  places: readonly number[],
  measure: (x: number) => Promise<readonly Pick<Series, "name" | "slices">[]>,
): Promise<Curve[]> {
  const curves = new Map<string, Point[]>();
  for (const x of places) {
    for (const { name, slices } of await measure(x)) {
      const values = slices.map(({ value }) => value);
      const [low = 0, y = 0, high = 0] = [0.25, 0.5, 0.75].map((share) => rounded(quantile(values, share)));
      curves.set(name, [...(curves.get(name) ?? []), { x, y, low, high }]);
    }
  }
  return [...curves].map(([name, points]) => ({ name, points }));
}

/** Does the tenths of some work, and measures the megabytes in use after each. */
export async function memoryOver(name: string, doTenth: () => Promise<void>): Promise<Curve> {
  const points: Point[] = [];
  for (let tenth = 1; tenth <= 10; tenth += 1) {
    await doTenth();
    points.push({ x: tenth * 10, y: megabytes(await bytesInUse()) });
  }
  return { name, points };
}

export const rounded = (value: number) => Number(value.toPrecision(4));
export const megabytes = (bytes: number) => rounded(bytes / 1_048_576);
