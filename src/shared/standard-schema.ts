import type { StandardSchemaV1 } from "@standard-schema/spec";
import * as z from "zod/mini";
import { explainIssues } from "./explain-issues.ts";
import { quoteNames } from "./unknown-names.ts";

/** A Standard Schema that responds at once. */
export interface SyncSchema<T> {
  readonly "~standard": Omit<StandardSchemaV1.Props<T>, "validate"> & {
    readonly validate: (value: unknown) => StandardSchemaV1.Result<T>;
  };
}

/**
 * Returns a zod schema as a Standard Schema. A value that passes is never copied. Every issue has our message (that of
 * zod/mini is "Invalid input"), up to a limit: see `explainIssues`.
 */
export function standardSchema<T>(source: z.ZodMiniType<T, T>): SyncSchema<T> {
  return {
    "~standard": {
      version: 1,
      vendor: "zod",
      validate: (value) =>
        passes(source, value) ? { value: value as T } : { issues: explainIssues(source, value, explain) },
    },
  };
}

function passes(schema: z.ZodMiniType, value: unknown): boolean {
  try {
    return z.validate(schema, value);
  } catch {
    return false; // The explanation says that it could not be checked.
  }
}

/** Returns the message for a rule without one. */
export function explain(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is missing"
        : `must be ${withArticle(issue.expected)}, is ${nameOf(issue.input)}`;
    case "unrecognized_keys":
      return `has unknown ${issue.keys.length === 1 ? "field" : "fields"} ${quoteNames(issue.keys)}; extra fields of the wire go into \`extraBody\``;
    case "invalid_value":
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return issue.origin === "array" ? `must have at least ${issue.minimum} element` : "must not be empty";
    case "too_big":
      return `must be at most ${issue.maximum} ${issue.origin === "string" ? "characters" : ""}`.trimEnd();
    default:
      return "is not of the documented form";
  }
}

const articles: Record<string, string> = { array: "an array", object: "an object", int: "a whole number" };

function withArticle(type: string): string {
  return articles[type] ?? `a ${type}`;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return withArticle(typeof value);
}
