import { trimmedScalar } from "../../shared/json.ts";

/**
 * Returns a name in capitals, without the accents of Latin letters, which airlines leave out: `José` and `JOSE` are
 * one. The vowel signs of other scripts stay: without them राम and रमा would be one.
 */
export function capitals(name: string): string {
  return name
    .normalize("NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .toUpperCase();
}

/**
 * Returns a flag as a boolean, also one that comes as a string or a number; undefined if it is neither true nor false.
 */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : flags.get(trimmedScalar(value).toLowerCase());
}

const flags = new Map([
  ["true", true],
  ["1", true],
  ["y", true],
  ["yes", true],
  ["false", false],
  ["0", false],
  ["n", false],
  ["no", false],
]);
