/** What a table has under a name that came from outside: `constructor` is no entry of it. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** The value where it is an object, else an empty one. */
export function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
