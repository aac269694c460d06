import * as z from "zod/mini";
import type { Issue } from "../errors/base.ts";
import { IssueList, toKey } from "./issue-list.ts";
import { isObject } from "./json.ts";

type Explain = (issue: z.core.$ZodRawIssue) => string;
type Path = (string | number)[];

/**
 * Returns the issues of a value, up to the limit of an {@link IssueList}. zod itself collects every issue before
 * it returns one, which takes gigabytes for a long list. Therefore elements and fields are explained one at a time
 * here.
 */
export function explainIssues(schema: z.core.$ZodType, value: unknown, explain: Explain): readonly Issue[] {
  const issues = new IssueList();
  try {
    explainInto(issues, schema, value, [], explain);
    if (issues.size === 0) explainWhole(issues, schema, value, [], explain);
  } catch {
    // A check that throws says nothing about the value, and must not cause the loss of a response.
  }
  if (issues.size === 0) issues.add({ path: [], message: "could not be checked", code: "not_checked" });
  return issues.done();
}

function explainInto(issues: IssueList, schema: z.core.$ZodType, value: unknown, path: Path, explain: Explain): void {
  const isValid: boolean = z.validate(schema, value);
  if (isValid) return;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const before = issues.size;
  if ((def.type === "optional" || def.type === "nullable") && value !== undefined && value !== null) {
    explainInto(issues, def.innerType, value, path, explain);
    return;
  }
  if (def.type === "array" && Array.isArray(value)) {
    for (const [i, element] of value.entries()) explainInto(issues, def.element, element, [...path, i], explain);
    if (issues.size > before) return;
  }
  if (def.type === "object" && isObject(value)) {
    for (const [key, field] of Object.entries(def.shape)) {
      if (key in value || field._zod.optin === undefined)
        explainInto(issues, field, value[key], [...path, key], explain);
    }
    if (issues.size > before) {
      if (def.catchall?._zod.def.type === "never") explainWhole(issues, keysOf(def.shape), value, path, explain);
      return;
    }
  }
  if (issues.wants(path)) explainWhole(issues, schema, value, path, explain);
}

/** Adds the issues of a value whose parts are valid, or that has no parts. */
function explainWhole(issues: IssueList, schema: z.core.$ZodType, value: unknown, path: Path, explain: Explain): void {
  const result = z.safeParse(schema, value, { error: explain });
  for (const { path: within, message, code } of result.error?.issues ?? []) {
    issues.add({ path: [...path, ...within.map(toKey)], message, code: code ?? "custom" });
  }
}

/** A schema of the names of the fields alone. */
function keysOf(shape: z.core.$ZodShape): z.ZodMiniType {
  return z.strictObject(Object.fromEntries(Object.keys(shape).map((key) => [key, z.optional(z.unknown())])));
}
