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
