import { anyOf, listOf, objectWith, oneOf, type Rule } from "../../shared/options.ts";

const check = objectWith("check");

/** A rule for `auth`: a check, a list of checks, or `"none"`. */
export const authRule: Rule = anyOf(
  'must be a check, a non-empty list of checks, or "none"',
  oneOf("none"),
  listOf(check),
  (value, name) => (Array.isArray(value) ? "must be a check" : check(value, name)),
);
