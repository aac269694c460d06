import { defaults } from "./defaults.ts";
import { nonEmptyString, type Rule, readOptions, string } from "./shared/options.ts";
import { closest } from "./shared/unknown-names.ts";

const known = Object.keys(defaults.pathPrefixes);

/** A rule for the name of an area. A misspelt name of the document would silently lose its prefix. */
export const areaName: Rule = (value, name) => {
  const meant = known.includes(String(value)) ? undefined : meantBy(String(value).toLowerCase());
  return meant ? `must be "${meant}", or differ more from it` : nonEmptyString(value, name);
};

function meantBy(name: string): string | undefined {
  return closest(name, known) ?? known.find((area) => sortedLetters(area) === sortedLetters(name));
}

function sortedLetters(name: string): string {
  return [...name].sort().join("");
}

/** A rule for the prefixes of areas: those of the document, and other names that are not one of them misspelt. */
export const prefixesByArea: Rule = (value, name) => {
  const own = Object.keys(Object(value)).filter((area) => areaName(area, area) === undefined);
  readOptions(name, value, Object.fromEntries([...known, ...own].map((area) => [area, string])));
  return undefined;
};
