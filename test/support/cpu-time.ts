/** Milliseconds of processor time that this thread has used: unlike a clock, it stands still while others compute. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
