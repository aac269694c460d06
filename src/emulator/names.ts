import { ConfigurationError } from "../errors/request.ts";
import { quoteNames, similarName } from "../shared/unknown-names.ts";

/** Returns a function that returns a table as it is: its type is made of the names in it, which need no union beside it. */
export function tableOf<Value>() {
  return <Name extends string>(entries: Readonly<Record<Name, Value>>): Readonly<Record<Name, Value>> => entries;
}

export function namesIn<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[];
}

/** Returns the own entry of a table, so that `constructor` is not an entry of it. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns the message for an unknown name: the name that was probably meant, without a number too, or `all` known ones. */
export function unknownName(
  kind: string,
  name: string,
  known: readonly string[],
  all = `Known are ${known.join(", ")}.`,
): string {
  const similar = similarName(name, known) ?? similarName(name.replace(/:.*/s, ""), known);
  return `The emulator knows no ${kind} "${quoteNames([name])}". ${similar === undefined ? all : `Did you mean ${similar}?`}`;
}

/** Returns the own entry of a table. Throws a ConfigurationError for an unknown name, with the `owner` in front. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string, kind: string, owner = ""): T {
  const found = own(table, name);
  if (found !== undefined) return found;
  throw new ConfigurationError(`${owner} ${unknownName(kind, name, Object.keys(table))}`.trim());
}
