import { isObject } from "../../shared/json.ts";

/**
 * Returns a part of a body with everything that it leaves out taken from `base`, by field. A list is the whole list:
 * each of its elements is completed from the one at its place in `base`, or from the first.
 */
export function complete(base: unknown, part: unknown): unknown {
  if (part === undefined) return base;
  if (Array.isArray(part)) {
    const templates: readonly unknown[] = Array.isArray(base) ? base : [];
    return part.map((element, index) => complete(templates[index] ?? templates[0], element));
  }
  if (!isObject(part)) return part;
  const fields = isObject(base) ? base : {};
  return {
    ...fields,
    ...Object.fromEntries(Object.entries(part).map(([name, value]) => [name, complete(fields[name], value)])),
  };
}
