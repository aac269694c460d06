import { ConfigurationError } from "../errors/request.ts";
import { quoteNames, similarName } from "../shared/unknown-names.ts";

/** Returns the own entry of a table, so that `constructor` is not an entry of it. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns the message for an unknown name: the name that was probably meant, or all known ones. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const similar = similarName(name, known);
  const hint = similar === undefined ? `Known are ${known.join(", ")}.` : `Did you mean ${similar}?`;
  return `The emulator knows no ${kind} "${quoteNames([name])}". ${hint}`;
}

/** Returns the own entry of a table. Throws a ConfigurationError for an unknown name, with the `owner` in front. */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string, kind: string, owner = ""): T {
  const found = own(table, name);
  if (found !== undefined) return found;
  throw new ConfigurationError(`${owner} ${unknownName(kind, name, Object.keys(table))}`.trim());
}
