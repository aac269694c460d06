import { defaults } from "./defaults.ts";
import { nonEmptyString, type Rule, readOptions, string } from "./shared/options.ts";
import { closest } from "./shared/unknown-names.ts";

const known = Object.keys(defaults.pathPrefixes);

/** A rule for the name of an area. A misspelt name of the document would silently lose its prefix. */
export const areaName: Rule = (value, name) => {
  const meant = known.includes(String(value)) ? undefined : closest(String(value).toLowerCase(), known);
  return meant ? `must be "${meant}", or differ more from it` : nonEmptyString(value, name);
};

/** A rule for the prefixes of areas: those of the document, and other names that are not one of them misspelt. */
export const prefixesByArea: Rule = (value, name) => {
  const own = Object.keys(Object(value)).filter((area) => areaName(area, area) === undefined);
  readOptions(name, value, Object.fromEntries([...known, ...own].map((area) => [area, string])));
  return undefined;
};
