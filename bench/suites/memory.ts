/**
 * Memory in use, heap and buffers, after garbage collection: of a new client (one of 2,000), of an open stream (one of
 * 300, after its first event), and what a stream of 200 MB adds to its peak. Each figure has its own process.
 */
import { type Figure, figuresOf, plainFigure, rotate } from "../measure.ts";
import { inChild } from "../processes.ts";
import { floor, streamContestants } from "../streams.ts";

export async function run(base: string): Promise<Figure[]> {
  const clients = ["serviceapi", "openai", "anthropic", "stripe", "ky"].map((name) => ({ name }));
  const fresh = await rotate(clients, ({ name }) => taken(base, "client", name, 1_024), { warmUp: 0, rounds: 3 });
  const open = await rotate(streamContestants, ({ name }) => taken(base, "open", name, 1_024), {
    warmUp: 0,
    rounds: 4,
    floor,
  });
  return [
    ...figuresOf({ measure: "new client", unit: "KB" }, fresh),
    ...figuresOf({ measure: "open stream", unit: "KB", floor }, open),
    ...(await growth(base, "200 MB streamed", 200_000_000)),
  ];
}

/** Growth of the peak over a long stream, in MB. */
export async function growth(base: string, measure: string, bytes: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of [floor, "serviceapi"]) {
    const { value } = await taken(base, "long", name, 1_048_576, String(bytes));
    figures.push(plainFigure(measure, name, value, "MB"));
  }
  return figures;
}

async function taken(base: string, what: string, name: string, bytesOfUnit: number, size = "") {
  const bytes = await inChild<number>("memory-process.ts", { args: [base, what, name, size], flags: ["--expose-gc"] });
  return { value: bytes / bytesOfUnit, idle: 0, preempted: 0 };
}
