/**
 * Counts what built-in functions read and write, for V8 counts the blocks of the source alone. What is not listed here as
 * cheaper reads its object and its arguments to their ends. Not counted: `{ ...object }`, and strings that are compared.
 */

/** Elements that were read or written, by built-in function or regular expression. */
export const elements = new Map<string, number>();

type Cost = (on: unknown, args: ArrayLike<unknown>, result: unknown) => number;

const constant: Cost = () => 1;
const argument: Cost = (_on, { 0: given }) => 1 + sizeOf(given);
const result: Cost = (_on, _args, made) => 1 + sizeOf(made);
const untilFound: Cost = (on, { 1: from }, at) =>
  Math.max(1, (typeof at === "number" && at >= 0 ? at + 1 : sizeOf(on)) - Number(from ?? 0));
const whole: Cost = (on, args, made) => {
  let sum = 1 + sizeOf(on) + sizeOf(made);
  for (let i = 0; i < args.length; i++) sum += sizeOf(args[i]);
  return sum;
};

/** Functions that read less, by name. Callbacks are counted as source, and regular expressions separately. */
const cheaper: Readonly<Record<string, Cost>> = {
  ...named(constant, "at charAt charCodeAt codePointAt pop push subarray entries keys values"),
  ...named(constant, "every find findIndex findLast findLastIndex some match matchAll search"),
  ...named(untilFound, "includes indexOf"),
  // V8 moves the start of a long list, and not its elements.
  ...named(constant, "shift"),
  // The elements behind the place move.
  ...named((on, { 0: from }) => Math.max(1, sizeOf(on) - Number(from ?? 0)), "splice"),
  ...named(result, "replace slice substr substring toString valueOf"),
  ...named(argument, "append endsWith set startsWith"),
};

function named(cost: Cost, names: string): Readonly<Record<string, Cost>> {
  return Object.fromEntries(names.split(" ").map((name) => [name, cost]));
}

const { hasOwn } = Object;
const { isArray } = Array;
const { apply } = Reflect;

function sizeOf(value: unknown): number {
  if (typeof value === "string" || isArray(value)) return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return value instanceof URLSearchParams ? value.size : 0;
}

function add(name: string, count: number): void {
  elements.set(name, (elements.get(name) ?? 0) + count);
}

/** Whether a string is in one piece. One that was put together is copied when it is read. Node 22 does not tell. */
const isFlat = flatness();
export const seesCopies = isFlat !== undefined;

function flatness(): ((text: string) => boolean) | undefined {
  try {
    return new Function("text", "return %StringIsFlat(text)") as (text: string) => boolean;
  } catch {
    return undefined;
  }
}

function addCopy(text: unknown): void {
  if (typeof text === "string" && isFlat?.(text) === false)
    add("copies of strings that were put together", text.length);
}

/** Replaces functions of an object by ones that count: all of them, or those of some names. */
function count(owner: object, prefix: string, names: readonly string[] = Object.getOwnPropertyNames(owner)): void {
  for (const name of names) {
    const property = Object.getOwnPropertyDescriptor(owner, name);
    const real: unknown = property?.value;
    if (typeof real !== "function" || name === "constructor") continue;
    const cost = (hasOwn(cheaper, name) ? cheaper[name] : undefined) ?? whole;
    const counting = {
      [name](this: unknown, ...args: unknown[]) {
        addCopy(this);
        addCopy(args[0]);
        let made: unknown;
        try {
          made = apply(real, this, args);
          return made;
        } finally {
          add(`${prefix}${name}`, cost(this, args, made));
        }
      },
    };
    Object.defineProperty(owner, name, { ...property, value: counting[name] });
  }
}

const exec = RegExp.prototype.exec;
/** All that takes a regular expression calls `exec`. Its pattern is known to take linear time (regular-expressions.test.ts). */
RegExp.prototype.exec = function (text) {
  addCopy(text);
  const from = this.global || this.sticky ? this.lastIndex : 0;
  const found = apply(exec, this, [text]);
  const to = found !== null ? found.index + found[0].length : this.sticky ? from : `${text}`.length;
  add(`/${this.source}/`, 1 + to - from);
  return found;
};

const iterators = [[][Symbol.iterator](), ""[Symbol.iterator](), new Map().keys(), new Set().keys()];
for (const one of iterators) count(Object.getPrototypeOf(one), `${Object.prototype.toString.call(one)}.`, ["next"]);
count(Object, "Object.", ["assign", "entries", "fromEntries", "keys", "values"]);
count(Array, "Array.", ["from"]);
count(Buffer, "Buffer.", ["concat", "from"]);
count(globalThis, "", ["atob", "btoa", "decodeURIComponent", "encodeURIComponent", "structuredClone"]);
count(JSON, "JSON.");
count(Intl.Segmenter.prototype, "Segmenter.");
count(Array.prototype, "Array.prototype.");
count(String.prototype, "String.prototype.");
for (const { prototype, name } of [
  Buffer,
  Object.getPrototypeOf(Uint8Array),
  TextDecoder,
  TextEncoder,
  URLSearchParams,
])
  count(prototype, `${name}.prototype.`);
