import { inspect } from "node:util";
import type { Finder, Kind } from "./finder.ts";

/** A secret, or a person, in a place that others read. */
export interface Leak {
  readonly kind: Kind;
  /** The place, as in "the stack of ApiError". */
  readonly where: string;
  /** The encoding in which it was found. */
  readonly form: string;
  /** The characters before it. */
  readonly before: string;
}

/** The kinds to look for: `secrets` alone where personal data was asked for. */
export type Scope = "everything" | "secrets";

/** Returns the leaks in a string. */
export function leaksInText(finder: Finder, where: string, text: string, scope: Scope = "everything"): readonly Leak[] {
  return finder
    .find(text)
    .filter(({ kind }) => scope === "everything" || kind === "a secret")
    .map((found) => ({ where, ...found }));
}

/** Returns the leaks in all that an error shows, and the secrets in all that it holds. */
export function leaksInError(finder: Finder, error: Error, isFirst: boolean): readonly Leak[] {
  const shown = partsOf(error);
  // Bodies and headers of the service are there to be read, without the secrets.
  const hidden: readonly Part[] = [
    ["the fields", stringsIn(error).join("\n")],
    ...(isFirst ? [["the hidden fields", printed(() => inspect(error, { ...whole, showHidden: true }))] as const] : []),
  ];
  const name = error.constructor.name;
  return [
    ...shown.flatMap(([part, text]) => leaksInText(finder, `${part} of ${name}`, text)),
    ...hidden.flatMap(([part, text]) => leaksInText(finder, `${part} of ${name}`, text, "secrets")),
  ];
}

type Part = readonly [name: string, text: string];

/** The texts that an error shows, without those that are a part of another: most are in what `inspect` prints. */
function partsOf(error: Error): readonly Part[] {
  const inspected = printed(() => inspect(error, whole));
  const parts: readonly Part[] = [
    ["the message", error.message],
    ["the stack", String(error.stack)],
    ["the string", printed(() => String(error))],
    ["the JSON", printed(() => JSON.stringify(error))],
    ...causesOf(error).flatMap((cause): readonly Part[] => [
      ["a cause", cause.message],
      ["the stack of a cause", String(cause.stack)],
    ]),
  ];
  return [["what inspect shows", inspected], ...parts.filter(([, text]) => !inspected.includes(text))];
}

const whole = {
  depth: Number.POSITIVE_INFINITY,
  maxArrayLength: null,
  maxStringLength: null,
  breakLength: Number.POSITIVE_INFINITY,
  getters: true,
};

/** A value that cannot be printed, as JSON that nests deeper than the stack, shows nothing. */
export function printed(print: () => string | undefined): string {
  try {
    return print() ?? "";
  } catch {
    return "";
  }
}

function causesOf(error: Error): readonly Error[] {
  const causes = new Set<Error>();
  for (let link = error.cause; link instanceof Error && !causes.has(link); link = link.cause) causes.add(link);
  return [...causes];
}

/** Returns the strings and bytes of a value, at any depth: keys and values, hidden, inherited, and of getters. */
function stringsIn(root: unknown): readonly string[] {
  const strings: string[] = [];
  const seen = new Set<object>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === "string") strings.push(value);
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (ArrayBuffer.isView(value)) {
      strings.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1"));
      continue;
    }
    if (value instanceof Map || value instanceof Set || value instanceof Headers) waiting.push(...[...value].flat());
    for (const key of keysOf(value)) {
      if (typeof key === "string") strings.push(key);
      waiting.push(read(value, key));
    }
  }
  return strings;
}

/** The names of all properties, also of the prototypes up to those of the language. */
function keysOf(value: object): ReadonlySet<string | symbol> {
  const keys = new Set<string | symbol>();
  for (let link: object | null = value; link !== null && !builtIn.has(link); link = Object.getPrototypeOf(link)) {
    for (const key of Reflect.ownKeys(link)) keys.add(key);
  }
  return keys;
}

const builtIn = new Set<object>([Object.prototype, Array.prototype, Error.prototype, Function.prototype]);

function read(value: object, key: string | symbol): unknown {
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}
