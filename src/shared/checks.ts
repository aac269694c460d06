/**
 * The building blocks of the generated checks (scripts/generate-checks.ts). Those of a type accept what zod's type
 * does.
 */

export { isObject } from "./json.ts";

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns whether a value is a finite number. */
export function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Returns whether a value is a whole number that a JavaScript number holds exactly. */
export function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Returns whether a value is a list whose elements all pass the check. */
export function isListOf(value: unknown, check: (element: unknown) => boolean): value is readonly unknown[] {
  if (!Array.isArray(value)) return false;
  // A hole counts as undefined, which `every` would skip.
  for (let i = 0; i < value.length; i++) if (!check(value[i])) return false;
  return true;
}

/** Returns whether an object has no field, inherited ones included, other than the known ones. */
export function hasOnlyFields(value: Readonly<Record<string, unknown>>, known: readonly string[]): boolean {
  for (const key in value) if (!known.includes(key)) return false;
  return true;
}
