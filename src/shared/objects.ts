import { isObject } from "./json.ts";

/** Returns an object that has one value under each name. */
export function each<const Name extends string, T>(value: T, ...names: readonly Name[]): Readonly<Record<Name, T>> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, T>;
}

/**
 * Merges `extra` into a copy of `base`: objects by key and lists by position; any other value of `extra` replaces that
 * of `base`.
 */
export function merge(base: unknown, extra: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(extra)) {
    return Array.from({ length: Math.max(base.length, extra.length) }, (_, i) =>
      i in extra ? merge(base[i], extra[i]) : base[i],
    );
  }
  if (!isObject(base) || !isObject(extra)) return extra;
  return {
    ...base,
    ...Object.fromEntries(Object.entries(extra).map(([key, value]) => [key, merge(base[key], value)])),
  };
}

/** Throws an Error for a store or journal that does not return what it promises. The order of fields is of no account. */
export function requireEqual(owner: "store" | "journal", actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [actual, expected].map((value) => JSON.stringify(value, sorted));
  if (is !== should) throw new Error(`The ${owner} does not keep its promise: ${what} should be ${should}, is ${is}.`);
}

function sorted(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Returns whether an object or its class has a property. One that all objects inherit says nothing about this one: what
 * `Object.prototype` has, also that of another realm, does not count.
 */
export function hasUninherited(object: object | null | undefined, name: PropertyKey): boolean {
  if (object === null || object === undefined) return false;
  const parent: object | null = Object.getPrototypeOf(object);
  const isRoot = parent === null && Object.hasOwn(object, "hasOwnProperty");
  return !isRoot && (Object.hasOwn(object, name) || hasUninherited(parent, name));
}

/** Reads a property of an object or its class; undefined for one that all objects inherit. */
export function readUninherited<T extends object, Name extends keyof T>(
  object: T | null | undefined,
  name: Name,
): T[Name] | undefined {
  return hasUninherited(object, name) ? object?.[name] : undefined;
}
