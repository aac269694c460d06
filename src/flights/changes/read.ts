/** A flag as a boolean, also one that comes as text or as a number; undefined if it is neither. */
export function flag(value: unknown): boolean | undefined {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
  return flags.get(String(value).trim().toLowerCase());
}

const flags = new Map([
  ["true", true],
  ["1", true],
  ["y", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["n", false],
  ["no", false],
]);
