import { isObject } from "./json.ts";

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

/**
 * Reads a property of an object or its class, but not of `Object.prototype`: a property that all objects inherit says
 * nothing about this one.
 */
export function readUninherited<T extends object, Name extends keyof T>(
  object: T | null | undefined,
  name: Name,
): T[Name] | undefined {
  for (
    let holder: object | null | undefined = object;
    holder && holder !== Object.prototype;
    holder = Reflect.getPrototypeOf(holder)
  ) {
    if (Object.hasOwn(holder, name)) return object?.[name];
  }
  return undefined;
}
