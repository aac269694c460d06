import { setTimeout as sleep } from "node:timers/promises";

/** Starts a measurement. The function that it returns ends it; `cpu` and `idle` are milliseconds. */
export function startUsage(): () => { cpu: number; idle: number; preempted: number } {
  const before = process.resourceUsage();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpuBefore);
    const wall = performance.now() - startedAt;
    const cpu = (user + system) / 1_000;
    const preempted = process.resourceUsage().involuntaryContextSwitches - before.involuntaryContextSwitches;
    return { cpu, idle: Math.max(0, wall - cpu), preempted };
  };
}

/**
 * Collects the young garbage, which would otherwise be charged to the next slice. A full collection between slices
 * would also discard optimized code: with it an event of a stream cost more (2.0 instead of 1.3 times the floor).
 */
export function collectYoungGarbage(): void {
  globalThis.gc?.({ type: "minor" });
}

/** The memory in use after full collections, heap and buffers. */
export async function bytesInUse(): Promise<number> {
  for (let i = 0; i < 3; i += 1) {
    globalThis.gc?.();
    await sleep(10);
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
