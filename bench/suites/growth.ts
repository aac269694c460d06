/**
 * Growth of cost with the size of the work: CPU of one operation at several sizes, side by side, and the exponent from
 * the smallest to the largest. 1 is linear; 0 does not depend on the size. Calls get their response from a `fetch` in
 * the same process, so that the figure is the library's.
 */
import { compare, type Figure, plainFigure } from "../measure.ts";
import { quoteOf, quoteWithSegments } from "../payloads.ts";
import { exponent } from "../statistics.ts";
import {
  concurrentCalls,
  journalOf,
  passengerCheck,
  quoteReader,
  storeOf,
  streamReader,
  type Work,
} from "../work-by-size.ts";

/** One measure: how it grows, and the contestant of a size. */
interface Growth {
  readonly measure: string;
  readonly sizes: readonly number[];
  /** Operations of a slice. A size that is n times as large gets an nth of them, unless each should cost the same. */
  readonly operations: number;
  readonly isConstant?: true;
  readonly contestant: (size: number) => Work;
}

export async function run(base: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const growth of growths(base)) figures.push(...(await grow(growth)));
  return figures;
}

function growths(base: string): readonly Growth[] {
  const sizes = [100, 400, 1_600];
  return [
    {
      measure: "body size",
      sizes: [30, 300, 3_000],
      operations: 100,
      contestant: (size) => quoteReader(quoteOf(size)),
    },
    { measure: "segments", sizes, operations: 64, contestant: (size) => quoteReader(quoteWithSegments(size)) },
    { measure: "passengers", sizes: [9, 36, 144], operations: 32, contestant: passengerCheck },
    { measure: "events", sizes: [500, 2_000, 8_000], operations: 32, contestant: (size) => streamReader(size, 16_384) },
    {
      measure: "events, in chunks of one byte",
      sizes: [50, 200, 800],
      operations: 16,
      contestant: (size) => streamReader(size, 1),
    },
    {
      measure: "concurrent calls",
      sizes: [8, 64, 512],
      operations: 64,
      contestant: (size) => concurrentCalls(base, size),
    },
    {
      measure: "references in a store",
      sizes: [1_000, 10_000, 100_000],
      operations: 2_000,
      isConstant: true,
      contestant: storeOf,
    },
    {
      measure: "rows in a journal",
      sizes: [300, 3_000, 30_000],
      operations: 1_000,
      isConstant: true,
      contestant: journalOf,
    },
  ];
}

async function grow({ measure, sizes, operations, isConstant, contestant }: Growth): Promise<Figure[]> {
  const [smallest = 1] = sizes;
  const contestants = sizes.map((size) => {
    const share = isConstant ? 1 : smallest / size;
    return { name: size.toLocaleString("en"), ...contestant(size), operations: Math.ceil(operations * share) };
  });
  const shared = { measure, unit: "µs", contestants, operations, expect: undefined };
  const figures = await compare(shared, { warmUp: 2, rounds: 9, seconds: 8 });
  const points = figures.map(({ value }, i) => ({ size: sizes[i] ?? Number.NaN, cost: value }));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) throw new Error(`${measure} needs sizes`);
  return [...figures, plainFigure(measure, "exponent", exponent(first, last), "")];
}
