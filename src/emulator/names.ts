import leven from "leven";
import { ConfigurationError } from "../errors/request.ts";

/** Returns the own entry of a table, so that `constructor` is not an entry of it. */
export function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** No name is longer. The time of `leven` grows with the length, and a control route takes megabytes. */
const maxCharacters = 100;

export function cutName(name: string): string {
  return name.length > maxCharacters ? `${name.slice(0, maxCharacters)}…` : name;
}

/**
 * Returns a hint at the names that were probably meant: those in which at most a third of the letters differ, best
 * first.
 */
export function didYouMean(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxCharacters) return undefined;
  const near = known
    .map((candidate) => ({ candidate, distance: leven(name, candidate) }))
    .filter(({ distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 5);
  return near.length > 0 ? `Did you mean ${near.map(({ candidate }) => candidate).join(", ")}?` : undefined;
}

/** Returns the message for an unknown name: the names that were probably meant, or all known ones. */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known) ?? `Known are ${known.join(", ")}.`;
  return `The emulator knows no ${kind} "${cutName(name)}". ${hint}`;
}

/**
 * Returns the own entry of a table.
 *
 * @throws ConfigurationError for an unknown name, with an `owner` that ends in a colon in front.
 */
export function lookUp<T>(table: Readonly<Record<string, T>>, name: string, kind: string, owner = ""): T {
  const found = own(table, name);
  if (found !== undefined) return found;
  throw new ConfigurationError(`${owner} ${unknownName(kind, name, Object.keys(table))}`.trim());
}
