import { isObject } from "./json.ts";

/** Merges `extra` into a copy of `base`: objects by key and lists by position; any other value of `extra` replaces that of `base`. */
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
