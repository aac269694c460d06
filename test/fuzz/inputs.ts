import fc from "fast-check";
import { ServiceApiError } from "../../src/errors/base.ts";
import { codePoint } from "../support/code-point.ts";

/** Strings with what breaks parsers: lone surrogates, control characters, and what looks like the real thing. */
export const anyText = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: "grapheme" }),
  fc.string(),
  fc.constantFrom("__proto__", "constructor", "toString", "\u0000", "\ud800", "NaN", "-0", "1e400", "null", ""),
);

/** Any value that JSON can hold, with the keys that break objects. */
export const anyJson = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.dictionary(
    fc.constantFrom("__proto__", "constructor", "length", "toString", "then"),
    fc.jsonValue({ maxDepth: 1 }),
  ),
);

/** Any value of a program, also ones that JSON cannot hold. */
export const anything = fc.oneof(anyJson, fc.anything(), fc.constantFrom(undefined, null, Number.NaN, -0, ""));

/** A sample with some of its fields replaced, at any depth. */
export function drifted(sample: unknown): fc.Arbitrary<unknown> {
  return fc
    .array(fc.tuple(fc.nat(), anyJson), { minLength: 1, maxLength: 4 })
    .map((changes) => changes.reduce((value, [n, replacement]) => replaceAt(value, n, replacement), sample));
}

function replaceAt(value: unknown, n: number, replacement: unknown): unknown {
  if (typeof value !== "object" || value === null) return replacement;
  const keys = Object.keys(value);
  const key = keys[n % Math.max(keys.length, 1)];
  if (key === undefined) return replacement;
  const child: unknown = Reflect.get(value, key);
  // Every third change is made here, the others deeper.
  const changed = n % 3 === 0 ? replacement : replaceAt(child, Math.floor(n / 3), replacement);
  return Array.isArray(value) ? value.with(keys.indexOf(key), changed) : { ...value, [key]: changed };
}

/** Reads something to its end. */
export async function toList<T>(source: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const one of source) list.push(one);
  return list;
}

/** Whether each call of `refusesTyped` has resolved for an input, by its source. */
const calls = new Map<string, boolean>();

/**
 * Calls a function whose input is from outside: it may refuse it with an error of the library, and nothing else.
 *
 * @param name - Tells the call from others of the property.
 */
export async function refusesTyped(
  call: () => unknown,
  name: string = call.toString(),
): Promise<ServiceApiError | undefined> {
  if (!calls.has(name)) calls.set(name, false);
  const refused = await refusalOf(call);
  if (refused === undefined) calls.set(name, true);
  return refused;
}

/** As `refusesTyped`, for inputs that may all be refused. */
export async function refusalOf(call: () => unknown): Promise<ServiceApiError | undefined> {
  try {
    await call();
  } catch (error) {
    if (ServiceApiError.isInstance(error)) return error;
    throw error;
  }
  return undefined;
}

/** Begins a property, whose calls of `refusesTyped` are noted. */
export function forgetCalls(): void {
  calls.clear();
}

/** Returns the calls that have refused all inputs. */
export function neverResolved(): readonly string[] {
  return [...calls].filter(([, hasResolved]) => !hasResolved).map(([name]) => name);
}
