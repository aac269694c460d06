import { closestMatch } from "leven";
import { ConfigurationError } from "../errors/request.ts";

/**
 * Refuses the names of `given` that are not known, each with the known name that was probably meant.
 *
 * @param owner - Whose names they are: `ServiceApi`.
 * @param kind - What they name: `option`.
 */
export function refuseUnknownNames(owner: string, kind: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const hints = quoteNames(unknown, (name) => {
    const similar = similarName(name, known);
    return similar === undefined ? `"${cut(name)}"` : `"${name}" (did you mean "${similar}"?)`;
  });
  throw new ConfigurationError(`${owner}: unknown ${kind} ${hints}. Known: ${known.join(", ")}.`);
}

/** Names that somebody else chose, as they may stand in a message: five of them, 40 characters of each. */
export function quoteNames(names: readonly string[], quote: (name: string) => string = cut): string {
  const more = names.length - mostNames;
  return [...names.slice(0, mostNames).map(quote), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

const mostNames = 5;
const mostCharacters = 40;

function cut(name: string): string {
  return name.length > mostCharacters ? `${name.slice(0, mostCharacters)}…` : name;
}

/** Returns the known name that was probably meant: the same letters in another case or with separators, or a few letters away. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  if (name.length > mostCharacters) return undefined;
  const letters = name.toLowerCase().replaceAll(/[_-]/g, "");
  const sameLetters = known.find((candidate) => candidate.toLowerCase() === letters);
  return sameLetters ?? closestMatch(name, known, { maxDistance: Math.min(3, Math.floor(name.length / 3)) });
}
