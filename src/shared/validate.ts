import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Issue } from "../errors/base.ts";
import { ConfigurationError } from "../errors/request.ts";
import { IssueList, moreIssues, toKey } from "./issue-list.ts";

/**
 * Returns all differences of `value` from the schema, up to a limit.
 *
 * @throws ConfigurationError for an asynchronous schema, or the error that the schema itself throws.
 */
export function validate(schema: StandardSchemaV1, value: unknown, operation: string): readonly Issue[] {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) {
    throw new ConfigurationError(`${operation}: the schema is asynchronous; use one that checks at once.`);
  }
  if (result.issues === undefined) return [];
  const issues = new IssueList();
  for (const found of result.issues) {
    const issue = toIssue(found);
    if (issue.code === moreIssues) return result.issues.map(toIssue); // Has been through a list already.
    issues.add(issue);
  }
  return issues.done();
}

/**
 * Returns the issues at an essential field, or on the path to it: `data.result[].token` (`[]` means each),
 * `vpa|vpaList` (one of them is enough). An empty list if the response can be used.
 */
export function essentialIssues(essential: readonly string[], issues: readonly Issue[]): readonly Issue[] {
  return essential.flatMap((alternatives) => {
    const broken = alternatives.split("|").map((path) => {
      const steps = path.replaceAll("[]", ".[]").split(".");
      return issues.filter((issue) => issue.code !== moreIssues && leadsTo(issue.path, steps));
    });
    return broken.every((found) => found.length > 0) ? broken.flat() : [];
  });
}

function leadsTo(path: Issue["path"], steps: readonly string[]): boolean {
  return (
    path.length <= steps.length &&
    path.every((key, i) => (steps[i] === "[]" ? typeof key === "number" : steps[i] === key))
  );
}

function toIssue(issue: StandardSchemaV1.Issue & { readonly code?: unknown }): Issue {
  const code = typeof issue.code === "string" ? issue.code : "custom";
  return { path: (issue.path ?? []).map(toKey), message: issue.message, code };
}
