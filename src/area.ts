import { nonEmptyString, type Rule, readOptions } from "./shared/options.ts";
import { closest } from "./shared/unknown-names.ts";

/** A group of paths with its own prefix (`pathPrefixes`). */
export type Area = "verification" | "ai" | "flights";

/** An area of the document, or one of your own operations. */
export type AreaName = Area | (string & {});

/** The prefixes that the document shows. */
export const pathPrefixes: Readonly<Record<Area, string>> = {
  verification: "",
  ai: "api/serviceapi-prod/api",
  flights: "",
};

const known = Object.keys(pathPrefixes);

/** A rule for the name of an area. A misspelt name of the document would silently lose its prefix. */
export const areaName: Rule = (value, name) => {
  const meant = typeof value !== "string" || known.includes(value) ? undefined : meantBy(value.toLowerCase());
  return meant
    ? `is too close to "${meant}": did you mean "${meant}"? Otherwise choose another name`
    : nonEmptyString(value, name);
};

/** In a name of two or three letters another letter makes another word: `api` is not a misspelt `ai`, but `ia` is. */
function meantBy(name: string): string | undefined {
  const letters = (text: string) => [...text].sort().join();
  return name.length < 4 ? known.find((area) => letters(area) === letters(name)) : closest(name, known);
}

/** A rule for the prefixes of areas: those of the document, and other names that are not one of them misspelt. */
export const prefixesByArea: Rule = (value, name) => {
  const own = Object.keys(Object(value)).filter((area) => areaName(area, area) === undefined);
  readOptions(name, value, Object.fromEntries([...known, ...own].map((area) => [area, prefix])));
  return undefined;
};

/** A prefix may be empty, and may begin and end with slashes. */
function prefix(value: unknown): string | undefined {
  const path = typeof value === "string" ? value.replaceAll(/^\/+|\/+$/g, "") : value;
  if (path === "" || isPathBelow(path)) return undefined;
  return 'must be a path below `baseUrl`, such as "v2/payouts", or "": no "..", no query';
}

const segments = /^[\w.~%!$&'()*+,;=:@-]+(?:\/[\w.~%!$&'()*+,;=:@-]+)*\/?$/;

/**
 * Returns whether a value is a path that stays below the URL that it is appended to: no empty segment, no query, and no
 * segment of dots, which `URL` also resolves if they are percent-encoded.
 */
export function isPathBelow(value: unknown): boolean {
  return typeof value === "string" && segments.test(value) && !dots.test(value);
}

/** A segment that `URL` takes for `.` or `..`. */
const dots = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
