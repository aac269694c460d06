/** Readers for JSON of unknown form: none of them throws. */

/**
 * Returns the parsed value, or undefined if the text is not JSON, or cannot be read without loss. No JSON parses to
 * undefined. An integer beyond 2^53 is a string of its digits: `JSON.parse` would round it, to the identifier of something
 * else.
 */
export function parseJson(text: string): unknown {
  try {
    // Most long runs of digits are in strings, behind a quote or a letter. A reviver is several times as slow.
    const isRisky = hasLongRun(text) && /(?:^|[\s:,[])-?[1-9]\d{15}/.test(text);
    return JSON.parse(text, isRisky ? exactInteger : undefined);
  } catch {
    return undefined; // The message of the runtime quotes the text.
  }
}

/** Returns the value of a field; the digits of an integer that a number does not hold. */
function exactInteger(_name: string, value: unknown, written?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  if (written?.source === undefined) throw new Error("This runtime rounds integers.");
  return largeInteger.test(written.source) ? written.source : value;
}

/** One of more than 64 digits is not an identifier, and stays a number. */
const largeInteger = /^-?\d{16,64}$/;

/** Returns a copy of a value as JSON writes it; undefined if there is none. */
export function jsonCopy(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined; // The message of the runtime quotes the fields.
  }
}

/** Whether a string has 16 digits in a row, as has every integer beyond 2^53. Most characters are never looked at. */
function hasLongRun(text: string): boolean {
  for (let end = 15; end < text.length; ) {
    let start = end;
    for (let code = text.charCodeAt(end); code >= 48 && code <= 57; code = text.charCodeAt(start)) {
      if (end - start-- === 15) return true;
    }
    end = start + 16;
  }
  return false;
}

/** Returns whether an object in a JSON text has a name twice: its parsed `value` has the last one only. */
export function repeatsName(text: string, value: unknown): boolean {
  let names = 0;
  // Without escapes, a quote ends each string.
  for (const [, colon] of text.replaceAll(/\\./g, "").matchAll(/"[^"]*"(\s*:)?/g)) if (colon !== undefined) names++;
  const queue = [value];
  for (const part of queue) {
    if (!isObjectOrList(part)) continue;
    for (const child of valuesOf(part)) queue.push(child);
    if (isObject(part)) names -= Object.keys(part).length;
  }
  return names > 0;
}

/** Returns whether a value is a JSON object: not a list, and not `null`. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isString(value: unknown): value is string {
  return typeof value === "string";
}

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

export function isObjectOrList(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Returns an own field of an object or list, so that `constructor` is not one; undefined if there is none. */
export function field(value: unknown, name: string): unknown {
  return isObjectOrList(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

/** Returns the values in an object or a list, which is not copied: it may be long. */
export function valuesOf(value: object): readonly unknown[] {
  return Array.isArray(value) ? value : Object.values(value);
}

/** Yields the fields of an object with their names, or the elements of a list with empty ones. A list is not copied. */
export function* childrenOf(value: object): Generator<readonly [name: string, child: unknown]> {
  if (Array.isArray(value)) for (const child of value) yield ["", child];
  else yield* Object.entries(value);
}

/** Returns a list, without holes; an empty list for anything else. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? Array.from<unknown>(value) : [];
}

/** Returns a string; an empty string for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/**
 * Returns a string without the spaces around it, or a number as a string; an empty string for anything else, and for a
 * number that may have lost digits.
 */
export function trimmedScalar(value: unknown): string {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER ? "" : String(value);
  return typeof value === "string" ? value.trim() : "";
}

/** Returns whether a value is a list. Unlike `Array.isArray`, this narrows a readonly list. */
export function isList<T, Other>(value: readonly T[] | Other): value is readonly T[] {
  return Array.isArray(value);
}
