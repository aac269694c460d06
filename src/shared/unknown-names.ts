import leven from "leven";
import { ConfigurationError } from "../errors/request.ts";
import { bareName, wordsOf } from "./names.ts";

/**
 * Refuses unknown names of `given`, and suggests the known name that was probably meant.
 *
 * @param owner - The owner of the names, for the message: `ServiceApi`.
 * @param kind - The kind of name: `option`.
 * @param groupOf - Returns the known name of the group that a name belongs to.
 * @param advice - What to add, after a space, if one of them resembles no known name.
 */
export function refuseUnknownNames(
  owner: string,
  kind: string,
  given: object,
  known: readonly string[],
  groupOf?: (name: string) => string | undefined,
  advice = "",
): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  let isStrange = false;
  const hints = quoteNames(unknown, (name) => {
    const group = groupOf?.(name);
    const similar = group === undefined ? similarName(name, known) : `${group}.${name}`;
    isStrange ||= similar === undefined;
    return similar === undefined ? `"${cut(name)}"` : `"${name}" (did you mean "${similar}"?)`;
  });
  const more = isStrange ? advice : "";
  throw new ConfigurationError(`${owner}: unknown ${kind} ${hints}. Known: ${known.join(", ")}.${more}`);
}

/** Quotes names that the caller passed for a message: at most five, with 40 characters each. */
export function quoteNames(names: readonly string[], quote: (name: string) => string = cut): string {
  const more = names.length - maxNames;
  return [...names.slice(0, maxNames).map(quote), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

/** Says which names of an object the document does not show. */
export function unknownFields(names: readonly string[]): string {
  const fields = names.length === 1 ? "field" : "fields";
  return `has unknown ${fields} ${quoteNames(names)}; fields that the document does not show go into \`extraBody\``;
}

const maxNames = 5;
const maxCharacters = 40;

function cut(name: string): string {
  return name.length > maxCharacters ? `${name.slice(0, maxCharacters)}…` : name;
}

/**
 * Returns the known name that was probably meant: the same letters in another case or with separators, a few letters
 * away, or the one known name that has its words in any order and the fewest others, or fewer of them.
 */
export function similarName(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxCharacters) return undefined;
  const sameLetters = known.find((candidate) => bareName(candidate) === bareName(name));
  return sameLetters ?? closest(name, known) ?? sameWords(singularsOf(name), known);
}

function sameWords(words: readonly string[], known: readonly string[]): string | undefined {
  const [first, second] = known
    .map((candidate) => ({ candidate, others: singularsOf(candidate) }))
    .filter(({ others }) => isPartOf(words, others) || isPartOf(others, words))
    .map(({ candidate, others }) => ({ candidate, apart: Math.abs(others.length - words.length) }))
    .sort((a, b) => a.apart - b.apart);
  return first?.apart === second?.apart ? undefined : first?.candidate;
}

/**
 * Returns the first of the known names that differ in the fewest letters: in three at most, and in a third at most. None
 * is near a very long one, with which a comparison would take seconds.
 */
export function closest(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxCharacters) return undefined;
  const distances = known.map((candidate) => leven(name, candidate));
  const least = Math.min(...distances);
  return least <= Math.min(3, name.length / 3) ? known[distances.indexOf(least)] : undefined;
}

/** Splits `client_referenceIds` into `client`, `reference`, `id`: in lower case, and in the singular if possible. */
function singularsOf(name: string): string[] {
  const words = wordsOf(name).split(" ");
  return words.map((word) => word.replace(/ies$/, "y").replace(/(?<=..)s$/, ""));
}

/** Whether all words of `few`, at least one of which has four letters, are among `many`. */
function isPartOf(few: readonly string[], many: readonly string[]): boolean {
  return few.some((word) => word.length >= 4) && few.every((word) => many.includes(word));
}
