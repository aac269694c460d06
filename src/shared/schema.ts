import type * as z from "zod/mini";
import type { UnexpectedCode } from "./issue-list.ts";
import { isBoolean, isInteger, isListOf, isNumber, isObject, isString } from "./json.ts";

/**
 * A schema is written once and read twice: `passes` decides at once, and `toZod` makes the same schema of zod, which is
 * loaded when a value does not pass, to explain why (explain.ts).
 */
export interface Schema<T> {
  readonly passes: (value: unknown) => value is T;
  /** Makes the schema of zod; with `isShallow`, one for an object or a list in which any field or element passes. */
  readonly toZod: (zod: Zod, isShallow?: boolean) => z.ZodMiniType;
  /** The reason to refuse any other value, if the schema words it. */
  readonly message?: string | undefined;
  /** The fields of an object. */
  readonly fields?: Readonly<Record<string, Schema<unknown>>> | undefined;
  /** The elements of a list. */
  readonly element?: Schema<unknown> | undefined;
}

export type Zod = typeof import("./zod.ts");

/** A schema for each field of an object, optional or not. */
export type Fields<T> = { readonly [Name in keyof T]-?: Schema<T[Name]> };

function schemaOf<T>(
  passes: (value: unknown) => boolean,
  toZod: Schema<T>["toZod"],
  { message, fields, element }: Pick<Schema<T>, "message" | "fields" | "element"> = {},
): Schema<T> {
  return { passes: passes as Schema<T>["passes"], toZod, message, fields, element };
}

/** The message of a schema, or "is missing" if there is no value. */
function says(message: string | undefined) {
  if (message === undefined) return undefined;
  return { error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? "is missing" : message) };
}

export const string = stringOr();
export const number = schemaOf<number>(isNumber, (zod) => zod.number());
export const int = schemaOf<number>(isInteger, (zod) => zod.int());
export const boolean = schemaOf<boolean>(isBoolean, (zod) => zod.boolean());
export const unknown = schemaOf<unknown>(
  () => true,
  (zod) => zod.unknown(),
);

/** A string, with a message for any other value. */
export function stringOr<T extends string = string>(message?: string): Schema<T> {
  return schemaOf(isString, (zod) => zod.string(says(message)), { message });
}

export function matching(pattern: RegExp, message: string): Schema<string> {
  return schemaOf(
    (value) => isString(value) && pattern.test(value),
    (zod) => zod.string(says(message)).check(zod.regex(pattern, message)),
    { message },
  );
}

export function literal<const T extends string | boolean>(value: T, message?: string): Schema<T> {
  return schemaOf(
    (given) => given === value,
    (zod) => zod.literal(value, message),
    { message },
  );
}

export function oneOf<const T extends string>(choices: readonly T[]): Schema<T> & { readonly choices: readonly T[] } {
  const message = `must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`;
  const schema = schemaOf<T>(
    (value) => choices.some((choice) => choice === value),
    (zod) => zod.literal([...choices], says(message)),
    { message },
  );
  return { ...schema, choices };
}

export function nullable<T>(inner: Schema<T>): Schema<T | null> {
  return schemaOf(
    (value) => value === null || inner.passes(value),
    (zod, isShallow) => zod.nullable(inner.toZod(zod, isShallow)),
    inner,
  );
}

export function optional<T>(inner: Schema<T>): Schema<T | undefined> {
  return schemaOf(
    (value) => value === undefined || inner.passes(value),
    (zod, isShallow) => zod.optional(inner.toZod(zod, isShallow)),
    inner,
  );
}

export function array<T>(element: Schema<T>, message?: string): Schema<readonly T[]> {
  return schemaOf(
    (value) => isListOf(value, element.passes),
    (zod, isShallow) => (isShallow ? zod.unknown() : zod.array(element.toZod(zod), says(message))),
    { message, element },
  );
}

/**
 * An object with fields that are documented, and any others. For one that is checked very often, `isUsual` passes most
 * values without the loop over the fields.
 */
export function looseObject<T>(
  fields: Fields<T>,
  isUsual?: (value: Readonly<Record<string, unknown>>) => boolean,
): Schema<T> {
  const passes = hasFields(fields);
  return schemaOf(
    isUsual === undefined ? passes : (value) => (isObject(value) && isUsual(value)) || passes(value),
    (zod, isShallow) => (isShallow ? zod.unknown() : zod.looseObject(zodFields(fields, zod))),
    { fields },
  );
}

/** An object without any other field, inherited ones included. */
export function strictObject<T>(fields: Fields<T>): Schema<T> {
  return schemaOf(hasFields(fields, true), (zod, isShallow) => zod.strictObject(zodFields(fields, zod, isShallow)), {
    fields,
  });
}

function hasFields<T>(fields: Fields<T>, isStrict = false): (value: unknown) => boolean {
  const checks = Object.entries<Schema<unknown>>(fields).map(([name, { passes }]) => ({ name, passes }));
  return (value) => {
    if (!isObject(value)) return false;
    for (const { name, passes } of checks) if (!passes(value[name])) return false;
    if (isStrict) for (const name in value) if (!Object.hasOwn(fields, name)) return false;
    return true;
  };
}

function zodFields<T>(fields: Fields<T>, zod: Zod, isShallow = false): Record<string, z.ZodMiniType> {
  const entries = Object.entries<Schema<unknown>>(fields);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, isShallow ? zod.optional(zod.unknown()) : field.toZod(zod)]),
  );
}

/** A string or a list that is not empty. */
export function notEmpty<T extends string | readonly unknown[]>(base: Schema<T>, message?: string): Schema<T> {
  return schemaOf(
    (value) => base.passes(value) && value.length > 0,
    (zod, isShallow) => base.toZod(zod, isShallow).check(zod.minLength(1, message) as z.core.$ZodCheck<unknown>),
    { ...base, message },
  );
}

/** A value that also passes a test, such as that of a regular expression. */
export function refined<T>(
  base: Schema<T>,
  rule: { test(value: T): boolean },
  error: string,
  { code, ...at }: { readonly code?: UnexpectedCode; readonly path?: string[] } = {},
): Schema<T> {
  return schemaOf(
    (value) => base.passes(value) && rule.test(value),
    (zod, isShallow) => {
      const check = zod.refine((value) => rule.test(value as T), { error, params: { code }, ...at });
      return base.toZod(zod, isShallow).check(check);
    },
    base,
  );
}

/**
 * A string of a format that the document states. A response with another one can still be used: the issue is a warning,
 * in essential fields too.
 */
export function formatted(pattern: RegExp, error: string, base = string): Schema<string> {
  return refined(base, pattern, error, { code: "unexpected_format" });
}
