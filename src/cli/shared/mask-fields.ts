import { maskMessage } from "./mask.ts";

/** Deeper values are left out: nothing of the service nests so far. */
const maxDepth = 12;

/** Called with a string, number, boolean or null and the name of its field, which the elements of a list share. */
type Mask = (scalar: unknown, name: string) => unknown;

/**
 * Returns a copy of a JSON value in which `mask` has replaced each string, number, boolean and null. Numbers and
 * addresses in the names of fields are masked too.
 */
export function maskFields(value: unknown, mask: Mask, name = ""): unknown {
  return copy(value, mask, maskMessage, name);
}

/** Returns a copy of a JSON value without what nests too deep for functions that recurse, as `JSON.stringify` does. */
export function withoutDeepFields(value: unknown): unknown {
  return copy(value, (scalar) => scalar);
}

function copy(value: unknown, mask: Mask, nameOf = (key: string) => key, name = "", depth = 0): unknown {
  if (typeof value !== "object" || value === null) return mask(value, name);
  if (depth > maxDepth) return "…";
  if (Array.isArray(value)) return value.map((element) => copy(element, mask, nameOf, name, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [nameOf(key), copy(inner, mask, nameOf, key, depth + 1)]),
  );
}
