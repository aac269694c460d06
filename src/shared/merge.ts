import { isObject } from "./json.ts";

/** `extra` laid over `base`: objects merge by key and lists by position; anything else of `extra` wins. */
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
