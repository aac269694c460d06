import { ConfigurationError } from "../errors/request.ts";
import { isObject } from "./json.ts";
import { hasUninherited } from "./objects.ts";
import { refuseUnknownNames } from "./unknown-names.ts";

/** Returns what a value must be, such as `must be a function`, or undefined if the value is valid. */
export interface Rule {
  (value: unknown, name: string): string | undefined;
  /** The options within the option, so that one of them at the wrong level is recognized. */
  readonly inner?: readonly string[];
}

/** One rule for each option: an option without a rule does not compile. */
export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule };

/** Options that were read. Those that were omitted or `undefined` are absent. */
export type Given<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> };

/** Longest delay of `setTimeout` in milliseconds: it fires immediately for a longer one. */
export const maxTimerMs = 2_147_483_647;

/**
 * Checks an options object and returns a copy of the options that are not `undefined`. Options are own properties. What
 * a polluted `Object.prototype` adds is ignored; what a class adds is refused, because the caller relies on it.
 *
 * @param owner - The owner of the options, for the message: `hmac`.
 * @param rules - A rule for each option. It is not called for `undefined`, which counts as omitted.
 * @param required - The options that must not be omitted.
 * @param kind - The kind of name, for the message.
 * @param advice - What to add, after a space, about a name that resembles no known one.
 * @throws ConfigurationError for a value that is not an object, an unknown name, an inherited option, a missing
 *   option, or a value that breaks its rule.
 */
export function readOptions<Options extends object>(
  owner: string,
  options: unknown,
  rules: Rules<Options>,
  required: readonly (keyof Options)[] = [],
  kind: "option" | "handler" | "text" = "option",
  advice?: string,
): Given<Options> {
  if (!isObject(options)) {
    throw new ConfigurationError(`${owner}: the ${kind}s must be an object.`);
  }
  const names = Object.keys(rules) as (keyof Options & string)[];
  const groupOf = (name: string) => names.find((group) => rules[group].inner?.includes(name));
  refuseUnknownNames(owner, kind, options, names, groupOf, advice);
  const checked = Object.create(null);
  for (const name of names) {
    const isOwn = Object.hasOwn(options, name);
    // A getter or method of a class, for example: the copy would lack it.
    if (!isOwn && hasUninherited(options, name)) {
      throw new ConfigurationError(`${owner}: \`${name}\` is inherited. Pass it as a property of the object itself.`);
    }
    const value: unknown = isOwn ? Reflect.get(options, name) : undefined;
    const complaint =
      value === undefined ? (required.includes(name) ? "is missing" : undefined) : rules[name](value, name);
    if (complaint !== undefined) throw new ConfigurationError(`${owner}: \`${name}\` ${complaint}.`);
    if (value !== undefined) checked[name] = value;
  }
  return checked;
}

/** Checks arguments as options are checked; all are required. */
export function readArguments<Arguments extends object>(
  owner: string,
  given: Arguments,
  rules: Rules<Arguments>,
): Given<Arguments> {
  return readOptions<Arguments>(owner, given, rules, Object.keys(rules) as (keyof Arguments)[]);
}

/** A rule for options that are checked later, when they are read. */
export const anything: Rule = () => undefined;

/** A duration in milliseconds, from `min` to `max`. */
export function milliseconds(min = 0, max = maxTimerMs): Rule {
  return (value) =>
    isNumberBetween(value, min, max) ? undefined : `must be a number of milliseconds between ${min} and ${max}`;
}

/** A duration in milliseconds, or `false` to disable it. Libraries disagree on whether `0` disables a timeout. */
export function millisecondsOrFalse(min = 1): Rule {
  return (value) =>
    value === false || isNumberBetween(value, min, maxTimerMs)
      ? undefined
      : `must be a number of milliseconds between ${min} and ${maxTimerMs}, or \`false\` to disable it${value === 0 ? "; `0` does not disable it" : ""}`;
}

export function number(min: number, max = Number.MAX_VALUE): Rule {
  const range = max === Number.MAX_VALUE ? `of at least ${min}` : `between ${min} and ${max}`;
  return (value) => (isNumberBetween(value, min, max) ? undefined : `must be a number ${range}`);
}

export function integer(min: number, max = Number.MAX_SAFE_INTEGER): Rule {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `between ${min} and ${max}`;
  return (value) =>
    Number.isInteger(value) && isNumberBetween(value, min, max) ? undefined : `must be an integer ${range}`;
}

export const func: Rule = (value) => (typeof value === "function" ? undefined : "must be a function");

export const boolean: Rule = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

export const string: Rule = (value) => (typeof value === "string" ? undefined : "must be a string");

export const nonEmptyString: Rule = (value) =>
  typeof value === "string" && value.trim() !== "" ? undefined : "must be a non-empty string";

export const object: Rule = (value) => (isObject(value) ? undefined : "must be an object");

/** An object with these methods, such as a store: a partial one would fail only when it is needed. */
export function objectWith(...methods: readonly string[]): Rule {
  return (value) => {
    const missing = methods.filter((method) => {
      const found: unknown = Reflect.get(Object(value), method);
      // A method that all objects inherit does not count.
      return typeof found !== "function" || found === Reflect.get(Object.prototype, method);
    });
    const calls = missing.map((name) => `${name}()`);
    return calls.length === 0 ? undefined : `must be an object with ${inWords(calls, "and")}`;
  };
}

/** An `AbortSignal`, also one of a polyfill. */
export const signal: Rule = (value) => {
  const isSignal = objectWith("addEventListener", "removeEventListener")(value, "") === undefined;
  return isSignal && typeof Reflect.get(Object(value), "aborted") === "boolean" ? undefined : "must be an AbortSignal";
};

export function oneOf(...values: readonly (string | number | boolean)[]): Rule {
  const quoted = values.map((value) => JSON.stringify(value));
  return (value) => (values.some((known) => known === value) ? undefined : `must be ${inWords(quoted, "or")}`);
}

/** A value that one of the rules allows; `must` is the message. */
export function anyOf(must: string, ...rules: readonly Rule[]): Rule {
  return (value, name) => (rules.some((rule) => rule(value, name) === undefined) ? undefined : must);
}

/** A list of valid elements; holes and `undefined` are not valid. It must not be empty unless `min` is 0. */
export function listOf(rule: Rule, min = 1): Rule {
  return (value, name) => {
    if (!Array.isArray(value)) return "must be a list";
    if (value.length < min) return "must not be an empty list";
    // Array.from turns holes into undefined; `every` and `map` would skip them.
    const index = Array.from(value).findIndex((element) => rule(element, name) !== undefined);
    return index < 0 ? undefined : `has an invalid element at index ${index}: it ${rule(value[index], name)}`;
  };
}

/** An object of options within an option. */
export function group<Options extends object>(rules: Rules<Options>, required: readonly (keyof Options)[] = []): Rule {
  const check = (value: unknown, name: string) => {
    readOptions(name, value, rules, required);
    return undefined;
  };
  return Object.assign(check, { inner: Object.keys(rules) });
}

function isNumberBetween(value: unknown, min: number, max: number): boolean {
  return typeof value === "number" && value >= min && value <= max;
}

function inWords(items: readonly string[], conjunction: "and" | "or"): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} ${conjunction} ${last}`;
}

/** Refuses an argument that is not an object, before a property of it is read. */
export function requireObject(owner: string, name: string, value: unknown, what: string): void {
  if (object(value, name) !== undefined) throw new ConfigurationError(`${owner}: \`${name}\` must be ${what}.`);
}

/** A rule for the name of a header: a token of HTTP (RFC 9110, section 5.1). */
export const headerName: Rule = (value) =>
  typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? undefined : "must be a valid header name";

/** A rule for options: headers as a plain object of names and string values. */
export function plainHeaders(value: unknown): string | undefined {
  // The entries of a `Headers` are not properties: it would pass as an empty object.
  if (typeof value !== "object" || value === null || Symbol.iterator in value)
    return "must be a plain object of names and string values";
  for (const [header, text] of Object.entries(value)) {
    if (typeof text !== "string") return `has a value that is not a string: "${header}"`;
    // Not by `Headers`, which trims a newline and passes other control characters, with which nothing can be sent.
    if (headerName(header, "") !== undefined || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text))
      return `has a name or value that HTTP does not allow: "${header.slice(0, 60)}"`;
  }
  return undefined;
}
