import { ConfigurationError } from "./request.ts";

/**
 * Refuses the names of `given` that are not known, each with the one that may have been meant.
 *
 * @param owner - Whose names they are: `ServiceApi`.
 * @param kind - What they name: `option`.
 */
export function refuseUnknownNames(owner: string, kind: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const hints = unknown.map((name) => {
    const similar = known.find((candidate) => candidate.toLowerCase() === name.toLowerCase().replaceAll(/[_-]/g, ""));
    return similar === undefined ? `"${name}"` : `"${name}" (did you mean "${similar}"?)`;
  });
  throw new ConfigurationError(`${owner}: unknown ${kind} ${hints.join(", ")}. Known: ${known.join(", ")}.`);
}
