/**
 * A stream of 2,000 events of 150 bytes. Each contestant parses the same events (`@anthropic-ai/sdk` with a name before
 * each, `ai` with text of the same length instead of its fields) and hands them over one by one; the ratio to `fetch`,
 * eventsource-parser and `JSON.parse` is what its library adds. Only serviceapi checks the events and their order.
 */
import { compare, type Figure, figuresOf, isProfiling, rotate, type Slice } from "../measure.ts";
import { median } from "../statistics.ts";
import { drain, floor, type StreamContestant, streamContestants } from "../streams.ts";
import { collectYoungGarbage, startUsage } from "../usage.ts";

/** The events between the first and the last one of a stream. */
const many = 2_000;
/** Calls of a slice whose stream pauses: each of them lasts as long as the pause. */
const callsWithPause = 6;
/** The number of the first chunk: services count from 0 or from 1, and those before it may be lost. */
const firstNumbers = [0, 1, 5] as const;

export async function run(base: string): Promise<Figure[]> {
  const perEvent = (measure: string, what: string, { events = many, operations = 8 } = {}) => {
    const contestants = streamContestants.map(({ name, open }) => ({
      name,
      run: () => drain(open(base, `${what}/${events}`)),
    }));
    const total = events + 2;
    const size = { operations, perOperation: total, expect: total };
    return compare({ measure, unit: "µs", floor, contestants, ...size });
  };
  const timeUntil = async (measure: string, nth: number, firstNumber: number) => {
    const take = (contestant: StreamContestant) => timeTo(nth, contestant, base, `paused/${firstNumber}`);
    return figuresOf({ measure, unit: "ms", floor }, await rotate(streamContestants, take, { floor }));
  };
  const figures = [
    ...(await perEvent("event, in blocks", "blocks")),
    ...(await perEvent("event, one per write", "single")),
  ];
  // To be idle costs no CPU. What comes before a first event does, and it is most of a stream of three.
  if (isProfiling)
    return [...figures, ...(await perEvent("event of a short stream", "blocks", { events: 1, operations: 100 }))];
  figures.push(...(await timeUntil("first event, then a chunk and a pause", 1, 1)));
  for (const n of firstNumbers) figures.push(...(await timeUntil(`first chunk, number ${n}, then a pause`, 2, n)));
  return figures;
}

/**
 * The median of the milliseconds from a call to its event `nth` on a kept connection: wall time, because a person waits
 * for it.
 */
async function timeTo(nth: number, { open }: StreamContestant, base: string, path: string): Promise<Slice> {
  const times: number[] = [];
  collectYoungGarbage();
  const usage = startUsage();
  for (let call = 0; call < callsWithPause; call += 1) {
    const startedAt = performance.now();
    const iterator = open(base, path)[Symbol.asyncIterator]();
    for (let event = 0; event < nth; event += 1) await iterator.next();
    times.push(performance.now() - startedAt);
    while (!(await iterator.next()).done);
  }
  return { value: median(times), ...usage() };
}
