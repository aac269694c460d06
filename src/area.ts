import { defaults } from "./defaults.ts";
import { isObject } from "./shared/json.ts";
import { type Rule, string } from "./shared/options.ts";
import { closest } from "./shared/unknown-names.ts";

const known = Object.keys(defaults.pathPrefixes);

/** A rule for the name of an area. A misspelt name of the document would silently lose its prefix. */
export const areaName: Rule = (value) => {
  if (typeof value !== "string" || !/^[A-Za-z][\w-]*$/.test(value)) return 'must be a name, such as "payouts"';
  const meant = known.includes(value) ? undefined : closest(value.toLowerCase(), known);
  return meant && `must be "${meant}", or a name that looks less like it than "${value}"`;
};

/** A rule for the prefixes of areas. */
export const prefixesByArea: Rule = (value) => {
  if (!isObject(value)) return "must be an object";
  for (const [area, prefix] of Object.entries(value)) {
    const complaint = areaName(area, "") ?? (prefix === undefined ? undefined : string(prefix, ""));
    if (complaint !== undefined) return `has an invalid entry \`${area.slice(0, 40)}\`: it ${complaint}`;
  }
  return undefined;
};
