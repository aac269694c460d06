import { trimmedScalar } from "../../shared/json.ts";

/**
 * Returns a flag as a boolean, also one that comes as a string or a number; undefined if it is neither true nor false.
 */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : flags.get(trimmedScalar(value).toLowerCase());
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
