const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** Formats a time that has passed, roughly, such as `3 min`. */
export function formatAge(duration: number): string {
  const [unit, length] = units.find(([, one]) => duration >= one) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(duration / length))} ${unit}`;
}

/** Formats a time to wait, such as `4 min`: after it, the wait is over. */
export function formatWait(duration: number): string {
  const [unit, length] = units.find(([, one]) => duration > one) ?? ["s", 1_000];
  return `${Math.max(0, Math.ceil(duration / length))} ${unit}`;
}
