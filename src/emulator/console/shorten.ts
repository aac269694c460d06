import { isObjectOrList } from "../../shared/json.ts";

/**
 * Limits of what the console keeps of one body. Requests come from any program on this machine, and a page that shows
 * megabytes is of no use.
 */
const limits = { string: 2_000, name: 100, characters: 16_000, depth: 12 };

/** Returns the beginning of a string, with its length if it is cut. */
export function cutText(text: string, length: number = limits.string): string {
  return text.length > length ? `${text.slice(0, length)}… (${text.length} characters)` : text;
}

/** Returns a copy of parsed JSON in which long strings, long lists and deep parts are cut. */
export function shorten(value: unknown): unknown {
  return copy(value, { left: limits.characters }, limits.depth);
}

function copy(value: unknown, budget: { left: number }, depth: number): unknown {
  if (typeof value === "string") {
    const text = cutText(value, Math.max(0, Math.min(limits.string, budget.left)));
    budget.left -= text.length;
    return text;
  }
  budget.left -= 8;
  if (!isObjectOrList(value)) return value;
  if (depth === 0) return "…";
  return Array.isArray(value) ? copyList(value, budget, depth) : copyObject(value, budget, depth);
}

function copyList(list: readonly unknown[], budget: { left: number }, depth: number): unknown[] {
  const kept: unknown[] = [];
  for (const element of list) {
    if (budget.left <= 0) return [...kept, `… ${list.length - kept.length} more`];
    kept.push(copy(element, budget, depth - 1));
  }
  return kept;
}

function copyObject(object: object, budget: { left: number }, depth: number): object {
  const kept: [string, unknown][] = [];
  const names = Object.keys(object);
  for (const name of names) {
    if (budget.left <= 0) {
      kept.push(["…", `${names.length - kept.length} more`]);
      break;
    }
    budget.left -= Math.min(name.length, limits.name);
    kept.push([cutText(name, limits.name), copy(Reflect.get(object, name), budget, depth - 1)]);
  }
  return Object.fromEntries(kept);
}
