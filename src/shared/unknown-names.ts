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
  const hints = unknown.map((name) => {
    const similar = similarName(name, known);
    return similar === undefined ? `"${name}"` : `"${name}" (did you mean "${similar}"?)`;
  });
  throw new ConfigurationError(`${owner}: unknown ${kind} ${hints.join(", ")}. Known: ${known.join(", ")}.`);
}

/** Returns the known name that was probably meant: the same letters in another case or with separators, or a few letters away. */
export function similarName(name: string, known: readonly string[]): string | undefined {
  const letters = name.toLowerCase().replaceAll(/[_-]/g, "");
  const sameLetters = known.find((candidate) => candidate.toLowerCase() === letters);
  return sameLetters ?? closestMatch(name, known, { maxDistance: Math.min(3, Math.floor(name.length / 3)) });
}
